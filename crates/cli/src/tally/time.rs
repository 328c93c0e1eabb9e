//! Reads the times of requests, and groups them.
//!
//! A time stays in the zone of the log, because people compare it with other lines of the log. So we never convert a time. Only a
//! number of seconds since 1970 has no zone, and we write it in UTC.

use memchr::memmem;

/// How `--by` groups requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum By {
    Minute,
    Hour,
    Day,
    Status,
}

impl By {
    /// Returns the name of a group.
    pub fn name(self) -> &'static str {
        match self {
            By::Minute => "minute",
            By::Hour => "hour",
            By::Day => "day",
            By::Status => "status",
        }
    }

    /// Returns true if a group is a span of time.
    pub fn is_time(self) -> bool {
        self != By::Status
    }
}

/// A time, or the part of a time that one field has. Some logs have the date and the time of day in two fields.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Time {
    /// Year, month and day.
    date: Option<[u32; 3]>,
    /// Hour and minute.
    clock: Option<[u32; 2]>,
    /// The minutes by which local time is ahead of UTC.
    zone: Option<i32>,
}

impl Time {
    /// Reads a time. Returns `None` if `text` has neither a date nor a time of day in one of these forms:
    ///
    /// - `17/May/2015:10:05:03 +0000` of access logs, also with blanks or `-` between the parts;
    /// - `05/17/2015, 10:05:03` and `05/17/2015-10:05:03` of IIS and Suricata, also with two digits of the year, or with `PM`. With
    ///   another separator after the year, one of the first two numbers must be greater than 12, and is the day;
    /// - `2015-05-17T10:05:03.123+02:00` (ISO 8601), also with a blank for the `T`, and with `/` in the date;
    /// - `Sun May 17 10:05:03.123 2015`, and `Sun, 17 May 2015 10:05:03 GMT`;
    /// - seconds since 1970, with or without a fraction; milliseconds, microseconds and nanoseconds;
    /// - `20150517100503`;
    /// - a date or a time of day in one of the first two forms.
    pub fn read(text: &[u8]) -> Option<Time> {
        let text = text.trim_ascii();
        let text = text.strip_prefix(b"[").map_or(text, |inner| inner.strip_suffix(b"]").unwrap_or(inner));
        let mut at = Cursor(text);
        let time = at.number_of_seconds().or_else(|| at.date_and_clock())?;
        let is_sound = time.date.is_none_or(|[_, month, day]| (1..=12).contains(&month) && (1..=31).contains(&day))
            && time.clock.is_none_or(|[hour, minute]| hour < 24 && minute < 60);
        (is_sound && time != Time::default()).then_some(time)
    }

    /// Returns the first date with a time of day in `text`, which may be a record of any form. A number counts as seconds only if
    /// it starts `text`, or if a name such as `timestamp` precedes it.
    pub fn find(text: &[u8]) -> Option<Time> {
        let is_in_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
        let (mut at, mut name) = (0, Some(&b"time"[..]));
        while at < text.len() {
            let rest = &text[at..];
            let len = rest.iter().take_while(|byte| is_in_word(byte)).count();
            let word = &rest[..len];
            let near = &rest[..rest.len().min(LONGEST)];
            if word.first().is_some_and(u8::is_ascii_digit) {
                let number = near.iter().take_while(|byte| byte.is_ascii_digit() || **byte == b'.').count();
                let is_number = !rest.get(number).is_some_and(is_in_word);
                // 14 digits are a date and a time of day.
                let is_named = number == 14 || name.is_some_and(names_time);
                let number = Some(&rest[..number]).filter(|_| is_number && is_named).and_then(Time::read);
                if let Some(time) = number.or_else(|| Time::read(near)).filter(Time::is_whole) {
                    return Some(time);
                }
            } else if len == 3
                && let Some(time) = Time::read(near).filter(Time::is_whole)
            {
                return Some(time);
            }
            // Quotes, colons, `=` and brackets may be between a name and its value.
            name = match (len, rest[0]) {
                (0, b'"' | b':' | b'=' | b' ' | b'[' | b'<') => name,
                (0, _) => None,
                _ => Some(word),
            };
            at += len.max(1);
        }
        None
    }

    pub fn is_whole(&self) -> bool {
        self.date.is_some() && self.clock.is_some()
    }

    /// Fills the missing parts from `other`.
    pub fn fill(&mut self, other: &Time) {
        self.date = self.date.or(other.date);
        self.clock = self.clock.or(other.clock);
        self.zone = self.zone.or(other.zone);
    }

    /// Returns the start of the group of this time, in a form of ISO 8601 that sorts by time.
    pub fn group(&self, by: By) -> Option<String> {
        let [year, month, day] = self.date?;
        let date = format!("{year:04}-{month:02}-{day:02}");
        if by == By::Day {
            return Some(date);
        }
        let [hour, minute] = self.clock?;
        let minute = if by == By::Minute { minute } else { 0 };
        let zone = match self.zone {
            None => String::new(),
            Some(0) => "Z".to_string(),
            Some(ahead) => {
                let (sign, ahead) = (if ahead < 0 { '-' } else { '+' }, ahead.abs());
                format!("{sign}{:02}:{:02}", ahead / 60, ahead % 60)
            }
        };
        Some(format!("{date}T{hour:02}:{minute:02}{zone}"))
    }

    /// Returns the time that is `seconds` seconds after the start of 1970.
    fn since_1970(seconds: u64) -> Time {
        // A year starts in March here, so a leap day is the last day of its year. 1970-01-01 is day 719,468 since 0000-03-01, and 400
        // years have 146,097 days.
        let day = seconds / 86_400 + 719_468;
        let (era, day) = (day / 146_097, day % 146_097);
        let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
        let day = day - (365 * year + year / 4 - year / 100);
        let month = (5 * day + 2) / 153;
        let date = [era * 400 + year + u64::from(month >= 10), (month + 2) % 12 + 1, day - (153 * month + 2) / 5 + 1];
        let minute = seconds / 60 % 1_440;
        Time {
            date: Some(date.map(|number| number as u32)),
            clock: Some([minute / 60, minute % 60].map(|number| number as u32)),
            zone: Some(0),
        }
    }
}

/// Returns true if a field called `name` holds a time. Examples are `eventTime` and `created_at`.
fn names_time(name: &[u8]) -> bool {
    let name = name.to_ascii_lowercase();
    let has = |part: &[u8]| memmem::find(&name, part).is_some();
    has(b"time") || has(b"date") || name.ends_with(b"_at") || [&b"ts"[..], b"t", b"rt", b"start"].contains(&&name[..])
}

/// The maximum length of a time in a record.
const LONGEST: usize = 64;

const MONTHS: &[u8; 36] = b"janfebmaraprmayjunjulaugsepoctnovdec";

/// The rest of a text that is read from left to right. If a method returns `None`, it has read nothing.
#[derive(Clone, Copy)]
struct Cursor<'a>(&'a [u8]);

impl Cursor<'_> {
    /// Runs `read`. If `read` returns `None`, goes back to the position before the call.
    fn all<T>(&mut self, read: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        let before = *self;
        let found = read(self);
        if found.is_none() {
            *self = before;
        }
        found
    }

    fn byte(&mut self, of: &[u8]) -> Option<u8> {
        let (&first, rest) = self.0.split_first().filter(|(first, _)| of.contains(first))?;
        self.0 = rest;
        Some(first)
    }

    /// Reads a number of `least` to `most` digits, with no digit after it.
    fn number(&mut self, least: usize, most: usize) -> Option<u32> {
        let len = self.0.iter().take(most + 1).take_while(|byte| byte.is_ascii_digit()).count();
        if !(least..=most).contains(&len) {
            return None;
        }
        let (digits, rest) = self.0.split_at(len);
        self.0 = rest;
        Some(digits.iter().fold(0, |number, digit| number * 10 + u32::from(digit - b'0')))
    }

    fn blanks(&mut self) {
        self.0 = self.0.trim_ascii_start();
    }

    /// Reads a month of three letters, and returns its number.
    fn month(&mut self) -> Option<u32> {
        let name = self.0.first_chunk::<3>()?.map(|byte| byte.to_ascii_lowercase());
        let at = MONTHS.chunks_exact(3).position(|month| month == name)?;
        self.0 = &self.0[3..];
        Some(at as u32 + 1)
    }

    /// Reads a text that has only digits, and possibly a fraction after them.
    fn number_of_seconds(&self) -> Option<Time> {
        let digits = self.0.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let (number, fraction) = self.0.split_at(digits);
        let number = || std::str::from_utf8(number).ok()?.parse::<u64>().ok();
        match (digits, fraction) {
            (9 | 10, [] | [b'.', ..]) if fraction.iter().skip(1).all(u8::is_ascii_digit) => {
                Some(Time::since_1970(number()?))
            }
            (13, []) => Some(Time::since_1970(number()? / 1_000)),
            (16, []) => Some(Time::since_1970(number()? / 1_000_000)),
            (19, []) => Some(Time::since_1970(number()? / 1_000_000_000)),
            (14, []) => {
                let part = |from: usize, len: usize| Cursor(&self.0[from..from + len]).number(len, len);
                Some(Time {
                    date: Some([part(0, 4)?, part(4, 2)?, part(6, 2)?]),
                    clock: Some([part(8, 2)?, part(10, 2)?]),
                    zone: None,
                })
            }
            _ => None,
        }
    }

    fn date_and_clock(&mut self) -> Option<Time> {
        // Skip the name of a day.
        let _ = self.all(|at| {
            let day = at.0.first_chunk::<3>().filter(|day| day.iter().all(u8::is_ascii_alphabetic));
            day.filter(|_| at.month().is_none())?;
            at.0 = &at.0[3..];
            at.byte(b", ")?;
            at.blanks();
            Some(())
        });
        if let Some(time) = self.all(Self::month_first) {
            return Some(time);
        }
        let dates = [Self::year_first, Self::day_first, Self::numbers];
        let date = dates.into_iter().find_map(|read| self.all(read));
        if date.is_some() {
            while self.byte(b"Tt:-, \t|").is_some() {}
        }
        let (clock, zone) = self.all(Self::clock).unzip();
        Some(Time { date, clock, zone: zone.flatten() })
    }

    /// Reads `May 17 10:05:03 2015` or `May 17 2015 10:05:03`.
    fn month_first(&mut self) -> Option<Time> {
        let month = self.month()?;
        self.blanks();
        let day = self.number(1, 2)?;
        self.blanks();
        let early = self.number(4, 4);
        self.blanks();
        let (clock, zone) = self.clock()?;
        self.blanks();
        let year = early.or_else(|| self.number(4, 4))?;
        Some(Time { date: Some([year, month, day]), clock: Some(clock), zone })
    }

    fn year_first(&mut self) -> Option<[u32; 3]> {
        let year = self.number(4, 4)?;
        let between = self.byte(b"-/")?;
        let month = self.number(2, 2)?;
        self.byte(&[between])?;
        Some([year, month, self.number(2, 2)?])
    }

    fn day_first(&mut self) -> Option<[u32; 3]> {
        let day = self.number(1, 2)?;
        let between = self.byte(b"/- ")?;
        let month = self.month()?;
        self.byte(&[between])?;
        Some([self.number(4, 4)?, month, day])
    }

    /// Reads `05/17/2015`, or `17/05/2015` if the order is clear.
    fn numbers(&mut self) -> Option<[u32; 3]> {
        let one = self.number(1, 2)?;
        self.byte(b"/")?;
        let two = self.number(1, 2)?;
        self.byte(b"/")?;
        let year = self.number(4, 4).or_else(|| self.number(2, 2).map(|year| 2000 + year))?;
        let is_american = self.0.first().is_some_and(|byte| b",-".contains(byte));
        match (one, two) {
            (13.., _) => Some([year, two, one]),
            _ if is_american || two > 12 => Some([year, one, two]),
            _ => None,
        }
    }

    /// Reads a time of day with its zone.
    fn clock(&mut self) -> Option<([u32; 2], Option<i32>)> {
        let hour = self.number(1, 2)?;
        self.byte(b":")?;
        let mut clock = [hour, self.number(2, 2)?];
        let _ = self.all(|at| {
            at.byte(b":")?;
            at.number(2, 2)
        });
        if self.byte(b".,").is_some() {
            while self.byte(b"0123456789").is_some() {}
        }
        let _ = self.all(|at| {
            at.blanks();
            let half = at.byte(b"AaPp")?.to_ascii_lowercase();
            at.byte(b"Mm").filter(|_| (1..=12).contains(&hour))?;
            clock[0] = hour % 12 + if half == b'p' { 12 } else { 0 };
            Some(())
        });
        Some((clock, self.all(Self::zone)))
    }

    fn zone(&mut self) -> Option<i32> {
        self.blanks();
        for name in [&b"Z"[..], b"z", b"UTC", b"GMT"] {
            if let Some(rest) = self.0.strip_prefix(name) {
                self.0 = rest;
                return Some(0);
            }
        }
        let sign = if self.byte(b"+-")? == b'-' { -1 } else { 1 };
        let number = self.number(4, 4).or_else(|| {
            let hours = self.number(2, 2)?;
            let minutes = self.all(|at| {
                at.byte(b":")?;
                at.number(2, 2)
            });
            Some(hours * 100 + minutes.unwrap_or(0))
        })?;
        let (hours, minutes) = ((number / 100) as i32, (number % 100) as i32);
        (hours <= 15 && minutes < 60).then_some(sign * (hours * 60 + minutes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn group(text: &str, by: By) -> Option<String> {
        Time::read(text.as_bytes()).and_then(|time| time.group(by))
    }

    /// A search that takes quadratic time would take minutes.
    #[test]
    fn a_long_number_is_searched_in_linear_time() {
        assert_eq!(Time::find("1.".repeat(500_000).as_bytes()), None);
    }

    #[test]
    fn times_are_read_and_stay_in_their_zone() {
        for (text, minute) in [
            ("17/May/2015:10:05:03 +0000", "2015-05-17T10:05Z"),
            ("17/May/2015:10:05:03 +0530", "2015-05-17T10:05+05:30"),
            ("[17/May/2015:10:05:03 -0700]", "2015-05-17T10:05-07:00"),
            ("17/May/2015:10:05:03.655", "2015-05-17T10:05"),
            ("17/May/2015 10:05:03", "2015-05-17T10:05"),
            ("2015-05-17T10:05:03Z", "2015-05-17T10:05Z"),
            ("2015-05-17T10:05:03.123456+02:00", "2015-05-17T10:05+02:00"),
            ("2015-05-17T10:05:03-0030", "2015-05-17T10:05-00:30"),
            ("2015-05-17T10:05+02", "2015-05-17T10:05+02:00"),
            ("2015-05-17 10:05:03,123 +0200 CEST m=+0.1", "2015-05-17T10:05+02:00"),
            ("2015-05-17 10:05:03 UTC", "2015-05-17T10:05Z"),
            ("2015/05/17 - 10:05:03", "2015-05-17T10:05"),
            ("2015/05/17 10:05:03", "2015-05-17T10:05"),
            ("Sun May 17 10:05:03.123456 2015", "2015-05-17T10:05"),
            ("Sun May  7 10:05:03 2015", "2015-05-07T10:05"),
            ("Sun May 17 10:05:03 UTC 2015", "2015-05-17T10:05Z"),
            ("May 17 2015 10:05:03", "2015-05-17T10:05"),
            ("Sun, 17 May 2015 10:05:03 GMT", "2015-05-17T10:05Z"),
            ("20150517100503", "2015-05-17T10:05"),
            ("05/17/2015, 10:05:03", "2015-05-17T10:05"),
            ("05/17/15, 10:05:03", "2015-05-17T10:05"),
            ("05/07/2015-10:05:03.338309", "2015-05-07T10:05"),
            ("17/05/2015 10:05:03", "2015-05-17T10:05"),
            ("5/17/2015 10:05:03 PM", "2015-05-17T22:05"),
            ("5/17/2015 12:05:03 am", "2015-05-17T00:05"),
            ("2015-05-17,10:05:03", "2015-05-17T10:05"),
            ("1431857103", "2015-05-17T10:05Z"),
            ("1431857103.779", "2015-05-17T10:05Z"),
            ("1431857103779", "2015-05-17T10:05Z"),
            ("1431857103779000", "2015-05-17T10:05Z"),
            ("1431857103779000000", "2015-05-17T10:05Z"),
            ("951782400", "2000-02-29T00:00Z"),
            ("951868799", "2000-02-29T23:59Z"),
            ("951868800", "2000-03-01T00:00Z"),
            ("4107542399", "2100-02-28T23:59Z"),
            ("4107542400", "2100-03-01T00:00Z"),
        ] {
            assert_eq!(group(text, By::Minute).as_deref(), Some(minute), "{text}");
            let hour = format!("{}:00{}", &minute[..13], &minute[16..]);
            assert_eq!(group(text, By::Hour), Some(hour), "{text}");
            assert_eq!(group(text, By::Day).as_deref(), Some(&minute[..10]), "{text}");
        }
        for text in
            ["", "-", "12", "0.005", "yesterday", "2015-13-17T10:05:03Z", "17/May/2015:24:05:03", "May 17 10:05:03"]
        {
            assert_eq!(Time::read(text.as_bytes()), None, "{text}");
        }
        // The order of these numbers is unclear.
        assert!(Time::read(b"05/06/2015 10:05:03").is_none_or(|time| !time.is_whole()));
        for (text, minute) in [
            ("<134>2015-05-17 10:05:03.197 +0100  h TR", Some("2015-05-17T10:05+01:00")),
            ("h | 2015-05-17 10:05:39,408 | \"POST /x\"", Some("2015-05-17T10:05")),
            ("[I 2015-05-17 10:05:51.985 LabApp] 302", Some("2015-05-17T10:05")),
            ("{\"n\":1,\"@t\":\"2015-05-17T10:05:00.100Z\"}", Some("2015-05-17T10:05Z")),
            ("\"Sun May 17 10:05:12 2015\",\"x\"", Some("2015-05-17T10:05")),
            ("1431857103|I|242396", Some("2015-05-17T10:05Z")),
            ("a=1 start=1431857103779 b=2", Some("2015-05-17T10:05Z")),
            ("{\"startTimeUnixNano\":\"1431857103779000000\"}", Some("2015-05-17T10:05Z")),
            ("com,example)/ 20150517100503 http://h/", Some("2015-05-17T10:05")),
            ("id=1431857103 x", None),
            ("Nov 28 10:05:03 h x", None),
            ("x 10:05:03 2015", None),
        ] {
            let found = Time::find(text.as_bytes()).and_then(|time| time.group(By::Minute));
            assert_eq!(found.as_deref(), minute, "{text}");
        }
        let mut time = Time::read(b"10:05:03").unwrap();
        assert_eq!((time.is_whole(), time.group(By::Hour)), (false, None));
        time.fill(&Time::read(b"2015-05-17").unwrap());
        assert_eq!(time.group(By::Hour).as_deref(), Some("2015-05-17T10:00"));
    }
}
