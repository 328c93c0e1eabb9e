//! Percent-encoding in ClickHouse: a program that the engine runs as executable functions. See README.md.
//!
//! The engine writes rows in RowBinary to standard input. The program writes one result for each row, in order. It writes as soon
//! as rows arrive, because the engine waits for the results of a block before it sends the next block.

#![forbid(unsafe_code)]

mod rowbinary;

use std::io::{self, Read as _, Write as _};
use std::process::ExitCode;

use percent_simd_arrow::sql::{Builder, Failure, Function, Returns, URL_FIELDS, lossy, pairs, parts};

use rowbinary::{Row, push_len, push_nullable, push_string};

/// We run rows together up to about this many bytes.
const MOST: usize = 1 << 20;

/// A function of ClickHouse. In ClickHouse, a function has a fixed number of arguments. So each of our functions that may
/// have an option becomes two: `pct_decode` takes no option, and `pct_decode_with` takes one.
#[derive(Clone, Copy)]
struct Form {
    function: Function,
    arguments: usize,
}

impl Form {
    fn all() -> impl Iterator<Item = Form> {
        Function::ALL
            .iter()
            .flat_map(|&function| function.arguments().iter().map(move |&arguments| Form { function, arguments }))
    }

    fn name(self) -> String {
        let is_longer = self.function.arguments().first().is_some_and(|&least| self.arguments > least);
        format!("{}{}", self.function.name(), if is_longer { "_with" } else { "" })
    }

    /// Returns the type of the result in ClickHouse.
    fn returns(self) -> String {
        match self.function.returns() {
            Returns::Text | Returns::Bytes => "Nullable(String)".into(),
            Returns::Map => "Map(String, String)".into(),
            Returns::Pairs => "Array(Tuple(name String, value String))".into(),
            Returns::Parts => {
                let fields: Vec<_> = URL_FIELDS.iter().map(|field| format!("{field} Nullable(String)")).collect();
                format!("Tuple({})", fields.join(", "))
            }
        }
    }

    /// Returns the function's entry in a configuration of ClickHouse.
    fn config(self) -> String {
        let names = ["s"].into_iter().chain(self.function.option()).take(self.arguments);
        let arguments: String = names
            .map(|name| format!("        <argument><type>Nullable(String)</type><name>{name}</name></argument>\n"))
            .collect();
        let (name, returns) = (self.name(), self.returns());
        format!(
            "    <function>\n        <type>executable_pool</type>\n        <name>{name}</name>\n        \
             <return_type>{returns}</return_type>\n{arguments}        <format>RowBinary</format>\n        \
             <command>percent-simd-clickhouse {name}</command>\n        <execute_direct>1</execute_direct>\n    \
             </function>\n"
        )
    }
}

/// Appends the results of rows to `out`.
fn run(form: Form, rows: &[Row<'_>], out: &mut Vec<u8>) -> Result<(), Failure> {
    let function = form.function;
    match function.returns() {
        Returns::Text | Returns::Bytes => {
            let mut first = 0;
            while let Some(&(_, option)) = rows.get(first) {
                let end =
                    rows[first..].iter().position(|&(_, other)| other != option).map_or(rows.len(), |len| first + len);
                let is_null = form.arguments > 1 && option.is_none();
                let mut gathered = Builder::with_capacity(end - first, 0)?;
                for &(row, _) in &rows[first..end] {
                    gathered.push(row.filter(|_| !is_null))?;
                }
                let gathered = gathered.finish();
                let results = if is_null { gathered } else { function.run(&gathered, option)? };
                results.rows().for_each(|result| push_nullable(result, out));
                first = end;
            }
        }
        Returns::Map | Returns::Pairs => {
            for &(row, _) in rows {
                let mut list = Vec::new();
                let mut count = 0;
                pairs(&lossy(row.unwrap_or_default())?, function.returns() == Returns::Map, |name, value| {
                    push_string(name.as_bytes(), &mut list);
                    push_string(value.as_bytes(), &mut list);
                    count += 1;
                    Ok::<_, Failure>(())
                })?;
                push_len(count, out);
                out.extend(list);
            }
        }
        Returns::Parts => {
            for &(row, _) in rows {
                let url = row.map(lossy).transpose()?;
                let fields = url.as_deref().map(parts).unwrap_or_default();
                fields.iter().for_each(|field| push_nullable(field.as_deref().map(str::as_bytes), out));
            }
        }
    }
    Ok(())
}

/// Reads rows to the end of the input, and writes their results.
fn serve(form: Form) -> Result<(), String> {
    let (mut input, mut output) = (io::stdin().lock(), io::stdout().lock());
    let (mut buffer, mut out) = (Vec::new(), Vec::new());
    let mut piece = vec![0; MOST];
    loop {
        let len = input.read(&mut piece).map_err(|error| format!("cannot read rows: {error}"))?;
        if len == 0 {
            return if buffer.is_empty() { Ok(()) } else { Err("the last row is cut off".into()) };
        }
        buffer.extend_from_slice(&piece[..len]);
        let (rows, read) = rowbinary::rows(&buffer, form.arguments)?;
        run(form, &rows, &mut out).map_err(|failure| format!("{}: {failure}", form.name()))?;
        buffer.drain(..read);
        output
            .write_all(&out)
            .and_then(|()| output.flush())
            .map_err(|error| format!("cannot write results: {error}"))?;
        out.clear();
    }
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let done = match arguments.as_slice() {
        [option] if option == "--config" => {
            let entries: String = Form::all().map(Form::config).collect();
            writeln!(io::stdout(), "<functions>\n{entries}</functions>").map_err(|error| error.to_string())
        }
        [name] => match Form::all().find(|form| form.name() == *name) {
            Some(form) => serve(form),
            None => Err(format!("there is no function {name}; --config lists all")),
        },
        _ => Err("usage: percent-simd-clickhouse FUNCTION < ROWS, or percent-simd-clickhouse --config".into()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("percent-simd-clickhouse: {message}");
            ExitCode::FAILURE
        }
    }
}
