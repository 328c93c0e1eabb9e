//! Reads and writes the format RowBinary of ClickHouse, for the types that the functions have.
//!
//! A `Nullable` begins with a byte: 1 for a null, and 0 before a value. A `String` is its length in LEB128, and then its bytes. A
//! list or a map is its number of items, and then the items. A tuple is its items.

/// The arguments of a row. `None` is a null. If the function has only one argument, the second is `None`.
pub type Row<'b> = (Option<&'b [u8]>, Option<&'b [u8]>);

/// Returns the complete rows at the start of `bytes`, and their total length. Each row has `arguments` values of the type
/// `Nullable(String)`.
pub fn rows(bytes: &[u8], arguments: usize) -> Result<(Vec<Row<'_>>, usize), String> {
    let (mut rows, mut rest) = (Vec::new(), bytes);
    loop {
        let mut row = rest;
        let Some(first) = nullable(&mut row)? else { break };
        let second = if arguments > 1 { nullable(&mut row)? } else { Some(None) };
        let Some(second) = second else { break };
        rows.push((first, second));
        rest = row;
    }
    Ok((rows, bytes.len() - rest.len()))
}

/// Takes a `Nullable(String)` from the start of `bytes`. Returns `Some(None)` for a null, and `None` if `bytes` ends
/// inside the value.
fn nullable<'b>(bytes: &mut &'b [u8]) -> Result<Option<Option<&'b [u8]>>, String> {
    match bytes.split_first() {
        None => Ok(None),
        Some((0, rest)) => {
            *bytes = rest;
            Ok(string(bytes)?.map(Some))
        }
        Some((1, rest)) => {
            *bytes = rest;
            Ok(Some(None))
        }
        Some((other, _)) => Err(format!("a row begins with the byte {other}; the arguments must be Nullable(String)")),
    }
}

/// Takes a `String` from the start of `bytes`. Returns `None` if `bytes` ends inside the string.
fn string<'b>(bytes: &mut &'b [u8]) -> Result<Option<&'b [u8]>, String> {
    let mut len = 0_usize;
    for (at, &byte) in bytes.iter().enumerate() {
        let digits = usize::from(byte & 0x7F);
        let place = u32::try_from(7 * at).unwrap_or(u32::MAX);
        len |=
            digits.checked_shl(place).filter(|len| len >> place == digits).ok_or("the length of a row is invalid")?;
        if byte < 0x80 {
            let rest = &bytes[at + 1..];
            let Some((string, rest)) = rest.split_at_checked(len) else { return Ok(None) };
            *bytes = rest;
            return Ok(Some(string));
        }
    }
    Ok(None)
}

/// Appends a length, or a number of items.
pub fn push_len(mut len: usize, out: &mut Vec<u8>) {
    while len >= 0x80 {
        out.push(len as u8 | 0x80);
        len >>= 7;
    }
    out.push(len as u8);
}

/// Appends a `String`.
pub fn push_string(string: &[u8], out: &mut Vec<u8>) {
    push_len(string.len(), out);
    out.extend_from_slice(string);
}

/// Appends a `Nullable(String)`.
pub fn push_nullable(string: Option<&[u8]>, out: &mut Vec<u8>) {
    out.push(u8::from(string.is_none()));
    if let Some(string) = string {
        push_string(string, out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_read_back() {
        let long = vec![b'x'; 300];
        let strings = [None, Some(&b""[..]), Some(b"\0\xFF"), Some(&long)];
        let mut bytes = Vec::new();
        for string in strings {
            push_nullable(string, &mut bytes);
        }
        let expected: Vec<Row<'_>> = strings.map(|string| (string, None)).into();
        assert_eq!(rows(&bytes, 1), Ok((expected, bytes.len())));
        assert_eq!(rows(&bytes, 2), Ok((vec![(strings[0], strings[1]), (strings[2], strings[3])], bytes.len())));
        // A row that is cut off is read again later.
        for len in 0..bytes.len() {
            let (found, read) = rows(&bytes[..len], 1).unwrap();
            assert!(found.len() < 4 && read <= len);
        }
    }

    #[test]
    fn invalid_lengths_are_errors() {
        assert!(rows(&[0, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F], 1).is_err());
        assert!(rows(&[0; 12].map(|_| 0x80), 1).is_err());
        assert!(rows(&[7], 1).is_err());
        assert_eq!(rows(&[0, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01, 1], 1), Ok((vec![], 0)));
    }
}
