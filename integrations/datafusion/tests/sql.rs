//! Tests the functions in SQL: over columns of every type, over constants, and in a plan that another process runs.

use std::env;
use std::io::Write as _;
use std::process::{Command, Stdio};
use std::sync::Arc;

use datafusion::arrow::array::{Array as _, ArrayRef, AsArray as _, RecordBatch, StringArray};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::{DataType, Field, Schema};
use datafusion::arrow::util::pretty::pretty_format_batches;
use datafusion::datasource::MemTable;
use datafusion::error::Result;
use datafusion::prelude::{DataFrame, SessionContext};
use datafusion_proto::bytes::{physical_plan_from_bytes, physical_plan_to_bytes};

fn context() -> SessionContext {
    let mut context = SessionContext::new();
    percent_simd_datafusion::register_all(&mut context).unwrap();
    context
}

/// Returns the rows of a query. Each value is text, and a null is `NULL`.
async fn rows(context: &SessionContext, query: &str) -> Result<Vec<Vec<String>>> {
    let batches = context.sql(query).await?.collect().await?;
    let mut rows = Vec::new();
    for batch in &batches {
        let texts: Vec<ArrayRef> =
            batch.columns().iter().map(|column| cast(column, &DataType::Utf8)).collect::<Result<_, _>>()?;
        for row in 0..batch.num_rows() {
            let text = |column: &ArrayRef| {
                let column = column.as_string::<i32>();
                if column.is_null(row) { "NULL".into() } else { column.value(row).to_string() }
            };
            rows.push(texts.iter().map(text).collect());
        }
    }
    Ok(rows)
}

/// Returns the only row of a query.
async fn row(query: &str) -> Vec<String> {
    let mut rows = rows(&context(), query).await.unwrap_or_else(|error| panic!("{query}: {error}"));
    assert_eq!(rows.len(), 1, "{query}");
    rows.remove(0)
}

/// Returns the error of a query.
async fn error(query: &str) -> String {
    rows(&context(), query).await.expect_err(query).to_string()
}

/// Registers a table `hits` in two partitions. Its column `u` has the type `data_type`.
fn hits(context: &SessionContext, data_type: &DataType) {
    let texts =
        [Some("/a%20b?q=1"), Some("/%FF?q=%FF"), None, Some("/a-path-without-any-escape?x=1&q=a+value"), Some("")];
    let texts: ArrayRef = Arc::new(texts.into_iter().cycle().take(5000).collect::<StringArray>());
    let column = cast(&texts, data_type).unwrap();
    let schema = Arc::new(Schema::new(vec![Field::new("u", data_type.clone(), true)]));
    let batch = RecordBatch::try_new(schema.clone(), vec![column]).unwrap();
    // Each batch is a slice of one long batch. So the first row of a batch isn't always the first row in its buffers.
    let partitions = vec![vec![batch.slice(0, 1003), batch.slice(1003, 1500)], vec![batch.slice(2503, 2497)]];
    context.register_table("hits", Arc::new(MemTable::try_new(schema, partitions).unwrap())).unwrap();
}

fn types() -> Vec<DataType> {
    let dictionary = |values| DataType::Dictionary(Box::new(DataType::Int32), Box::new(values));
    vec![
        DataType::Utf8,
        DataType::LargeUtf8,
        DataType::Utf8View,
        DataType::Binary,
        DataType::LargeBinary,
        DataType::BinaryView,
        dictionary(DataType::Utf8),
        dictionary(DataType::Binary),
    ]
}

/// Appends the cells of a row, in the form of `integrations/functions.py --results`. A struct has a cell for each of its values.
/// A list or a map has two cells for each pair: the name and the value.
fn push_cells(array: &ArrayRef, row: usize, out: &mut String) {
    if array.is_null(row) {
        return out.push_str(" -");
    }
    match array.data_type() {
        DataType::Struct(_) => array.as_struct().columns().iter().for_each(|column| push_cells(column, row, out)),
        DataType::List(_) => {
            let items = array.as_list::<i32>().value(row);
            (0..items.len()).for_each(|item| push_cells(&items, item, out));
        }
        DataType::Map(..) => {
            let entries: ArrayRef = Arc::new(array.as_map().value(row));
            (0..entries.len()).for_each(|entry| push_cells(&entries, entry, out));
        }
        _ => {
            let bytes = cast(&array.slice(row, 1), &DataType::Binary).unwrap();
            out.push_str(" =");
            bytes.as_binary::<i32>().value(0).iter().for_each(|byte| out.push_str(&format!("{byte:02x}")));
        }
    }
}

/// Returns the text of a cell.
fn text(cell: &str) -> Option<String> {
    let digits = cell.strip_prefix('=')?;
    let byte = |at| u8::from_str_radix(&digits[at..at + 2], 16).unwrap();
    Some(String::from_utf8((0..digits.len()).step_by(2).map(byte).collect()).unwrap())
}

/// Returns what `functions.py` prints, or `None` if there is no Python.
fn functions(option: &str) -> Option<String> {
    let table = concat!(env!("CARGO_MANIFEST_DIR"), "/../functions.py");
    let Ok(printed) = Command::new("python3").args([table, option]).output() else {
        eprintln!("skipped (functions.py): there is no python3");
        return None;
    };
    assert!(printed.status.success(), "{printed:?}");
    Some(String::from_utf8(printed.stdout).unwrap())
}

/// Compares each function with its oracle, on the rows that all engines share.
#[tokio::test]
async fn functions_equal_their_oracles() {
    let Some(printed) = functions("--results") else { return };
    let mut lines = printed.lines().peekable();
    let mut compared = 0;
    while let Some(call) = lines.next() {
        let mut expected = Vec::new();
        while let Some(line) = lines.next_if(|line| line.starts_with(['-', '='])) {
            expected.push(line);
        }
        let row = |line: &&str| text(line.split(' ').next().unwrap_or_default());
        let rows: ArrayRef = Arc::new(expected.iter().map(row).collect::<StringArray>());
        for data_type in [DataType::Utf8, DataType::Utf8View, DataType::LargeUtf8] {
            let context = context();
            let column = cast(&rows, &data_type).unwrap();
            context
                .register_batch("shared", RecordBatch::try_from_iter_with_nullable([("s", column, true)]).unwrap())
                .unwrap();
            let query = format!("SELECT s, {call} FROM shared");
            let batches = context.sql(&query).await.unwrap().collect().await.unwrap();
            let mut found = Vec::new();
            for batch in &batches {
                for row in 0..batch.num_rows() {
                    let mut line = String::new();
                    batch.columns().iter().for_each(|column| push_cells(column, row, &mut line));
                    found.push(line[1..].to_string());
                }
            }
            assert_eq!(found, expected, "{call} of {data_type}");
        }
        compared += 1;
    }
    assert_eq!(compared, 20);
}

/// A wrong option is an error whatever the value is.
#[tokio::test]
async fn wrong_options_are_errors() {
    let Some(printed) = functions("--wrong") else { return };
    let context = context();
    let shared: ArrayRef = Arc::new(StringArray::from(vec![Some("a"), None, Some("%41")]));
    context.register_batch("shared", RecordBatch::try_from_iter_with_nullable([("s", shared, true)]).unwrap()).unwrap();
    for line in printed.lines() {
        let (message, query) = line.split_once('\t').unwrap();
        let found = rows(&context, query).await.expect_err(query).to_string();
        assert!(found.contains(message), "{query}: {found}");
    }
}

fn is_bytes(data_type: &DataType) -> bool {
    match data_type {
        DataType::Dictionary(_, values) => is_bytes(values),
        other => matches!(other, DataType::Binary | DataType::LargeBinary | DataType::BinaryView),
    }
}

#[tokio::test]
async fn decodes() {
    assert_eq!(
        row("SELECT pct_decode('caf%C3%A9 100%'), pct_decode(''), pct_decode(NULL), pct_decode('a+b%2B')").await,
        ["café 100%", "", "NULL", "a+b+"]
    );
    assert_eq!(
        row("SELECT pct_decode('%FF%41%C3'), pct_decode('%FF%41', 'keep'), pct_decode('%FF%41', 'replace')").await,
        ["%FFA%C3", "%FFA", "\u{FFFD}A"]
    );
    assert_eq!(
        row("SELECT pct_decode('%FF', 'null'), pct_decode('%zz', 'null'), pct_decode('%41', 'null'), pct_decode('%41', 'strict')")
            .await,
        ["NULL", "NULL", "A", "A"]
    );
    assert_eq!(
        row("SELECT try_pct_decode('%41'), try_pct_decode('%4'), try_pct_decode('%FF'), try_pct_decode(NULL)").await,
        ["A", "NULL", "NULL", "NULL"]
    );
    let context = context();
    let blobs = context.sql("SELECT pct_decode_blob('%FF%00A%'), pct_decode_blob(''), pct_decode_blob(NULL)");
    let batches = blobs.await.unwrap().collect().await.unwrap();
    let value = |index: usize| batches[0].column(index).as_binary::<i32>();
    assert_eq!((value(0).value(0), value(1).value(0), value(2).is_null(0)), (&b"\xFF\0A%"[..], &b""[..], true));
    assert_eq!(row("SELECT pct_decode('%41', NULL), pct_decode(NULL, 'keep')").await, ["NULL", "NULL"]);
}

#[tokio::test]
async fn encodes_and_normalizes() {
    assert_eq!(
        row("SELECT pct_encode('a/b é~'), pct_encode('a/b é', 'rfc3986-path'), pct_encode('a b', 'whatwg-form'), pct_encode(NULL)")
            .await,
        ["a%2Fb%20%C3%A9~", "a/b%20%C3%A9", "a+b", "NULL"]
    );
    assert_eq!(
        row(
            "SELECT pct_normalize('HTTP://Example.COM/%7euser/../a%2fb'), pct_normalize('100% é'), pct_normalize(NULL)"
        )
        .await,
        ["http://example.com/a%2Fb", "100%25 é", "NULL"]
    );
}

#[tokio::test]
async fn other_functions() {
    assert_eq!(
        row("SELECT pct_redact('ftp://me:secret@h/'), pct_repair('https://h/my file'), url_sort_query('/p?b=1&a=2#f'),
             url_host('http://me@H:80/'), url_domain('http://www.Example.co.uk/'), url_host('/p'), url_domain('//co.uk')")
        .await,
        ["ftp://me:***@h/", "https://h/my%20file", "/p?a=2&b=1#f", "H", "example.co.uk", "NULL", "NULL"]
    );
    assert_eq!(row("SELECT url_parse('http://u:p@h:1/p?q#f')['user'], url_parse('/p')['host']").await, ["u", "NULL"]);
    assert_eq!(row("SELECT url_params('?a=1&a=2')[2]['value'], pct_redact(NULL)").await, ["2", "NULL"]);
    assert_eq!(
        row("SELECT pct_decode('%2541+%2F', 'plus layers=2 keep=/'), pct_decode('a+b', '')").await,
        ["A %2F", "a+b"]
    );
    // One row has a million layers. All other rows have only one layer.
    let deep = "CASE WHEN value = 7 THEN '%' || repeat('25', 1000000) || '41' ELSE '/a%20b' END";
    let decoded = format!("SELECT pct_decode({deep}, 'layers=2000000') AS d FROM generate_series(1, 500000)");
    assert_eq!(row(&format!("SELECT count(*), min(d), max(d) FROM ({decoded})")).await, ["500000", "/a b", "A"]);
}

#[tokio::test]
async fn reads_queries() {
    assert_eq!(
        row("SELECT url_param('/s?%71=x%26y&q=2', 'q'), url_param('/s?a', 'a'), url_param('/s', 'q'), url_param(NULL, 'q'),
             url_param('/s?q=1', NULL)")
        .await,
        ["x&y", "", "NULL", "NULL", "NULL"]
    );
    let context = context();
    let maps = context
        .sql("SELECT url_query('http://h/p?a=1&b=%20x+y&a=2&c#f') m, url_query('http://h/p') e, url_query(NULL) n");
    let batches = maps.await.unwrap().collect().await.unwrap();
    let found = pretty_format_batches(&batches).unwrap().to_string();
    assert!(found.contains("| {a: 1, b:  x y, c: } | {} |   |"), "{found}");
    assert_eq!(row("SELECT url_query('/s?p=2&q=%C3%A9')['q'], url_query('/s')['q']").await, ["é", "NULL"]);
}

#[tokio::test]
async fn columns_of_every_type() {
    for data_type in types() {
        let context = context();
        hits(&context, &data_type);
        let result = context.sql("SELECT pct_decode(u) FROM hits").await.unwrap();
        assert_eq!(result.schema().field(0).data_type(), &data_type);
        let blob = context.sql("SELECT pct_decode_blob(u) FROM hits").await.unwrap();
        assert!(is_bytes(blob.schema().field(0).data_type()), "{data_type}");
        blob.collect().await.unwrap();
        let found =
            rows(&context, "SELECT url_param(u, 'q') q, count(*) FROM hits GROUP BY q ORDER BY q").await.unwrap();
        let expected = [["1", "1000"], ["a value", "1000"], ["\u{FFFD}", "1000"], ["NULL", "2000"]];
        assert_eq!(found, expected, "{data_type}");
        let found = rows(&context, "SELECT count(try_pct_decode(u)), count(pct_normalize(u)) FROM hits").await.unwrap();
        let valid = if is_bytes(&data_type) { "4000" } else { "3000" };
        assert_eq!(found, [[valid, "4000"]], "{data_type}");
        if is_bytes(&data_type) {
            continue;
        }
        let found = rows(&context, "SELECT d, count(*) FROM (SELECT pct_decode(u) d FROM hits) GROUP BY d ORDER BY d")
            .await
            .unwrap();
        let expected = [
            ["", "1000"],
            ["/%FF?q=%FF", "1000"],
            ["/a b?q=1", "1000"],
            ["/a-path-without-any-escape?x=1&q=a+value", "1000"],
            ["NULL", "1000"],
        ];
        assert_eq!(found, expected, "{data_type}");
        let query = "SELECT count(*) FROM hits WHERE pct_decode(pct_encode(u)) <> u OR pct_encode(u, 'rfc3986-unreserved') <> pct_encode(u)";
        assert_eq!(rows(&context, query).await.unwrap(), [["0"]], "{data_type}");
    }
}

#[tokio::test]
async fn options_may_differ_from_row_to_row() {
    let query =
        "SELECT pct_decode('%FF%41', e) FROM (VALUES (1, 'keep'), (2, 'keep'), (3, 'replace'), (4, NULL), (5, 'null'))
                 t(i, e) ORDER BY i";
    assert_eq!(rows(&context(), query).await.unwrap(), [["%FFA"], ["%FFA"], ["\u{FFFD}A"], ["NULL"], ["NULL"]]);
    let query = "SELECT url_param('/?a=1&b=2', n) FROM (VALUES (1, 'a'), (2, 'b'), (3, 'c')) t(i, n) ORDER BY i";
    assert_eq!(rows(&context(), query).await.unwrap(), [["1"], ["2"], ["NULL"]]);
    assert_eq!(
        rows(&context(), "SELECT pct_encode('a', n) FROM (VALUES ('a')) t(n) WHERE false").await.unwrap().len(),
        0
    );
}

#[tokio::test]
async fn constants_are_folded() {
    let plan = "EXPLAIN SELECT pct_decode('%41'), url_query('?a=1')['a'], pct_decode_blob('%42') FROM hits";
    let context = context();
    hits(&context, &DataType::Utf8);
    let found = rows(&context, plan).await.unwrap();
    let plans: String = found.into_iter().flatten().collect();
    let physical = &plans[plans.find("physical_plan").unwrap()..];
    assert!(
        physical.contains("expr=[A as pct_decode")
            && physical.contains(", 1 as url_query")
            && physical.contains(", 42 as "),
        "{plans}"
    );
}

#[tokio::test]
async fn errors_name_the_function_and_the_row() {
    let found = error("SELECT pct_decode(u, 'strict') FROM (VALUES ('%41'), ('ab%zz')) t(u)").await;
    assert!(
        found.contains("pct_decode: row 1: the `%` at byte 2 is not followed by two hexadecimal digits"),
        "{found}"
    );
    // Each row has its own option, so the first two rows run together, and then the others.
    let options = "(VALUES ('%41', 'null'), (NULL, 'null'), ('%42', 'strict'), ('ab%zz', 'strict')) t(u, e)";
    let found = error(&format!("SELECT pct_decode(u, e) FROM {options}")).await;
    assert!(found.contains("pct_decode: row 3: the `%` at byte 2"), "{found}");
    assert!(
        error("SELECT pct_decode('a', 'loud')").await.contains(
            "errors is \"keep\", \"null\", \"strict\" or \"replace\", not \"loud\"; the other options are plus"
        )
    );
    let found = error("SELECT pct_encode('a', 'no such set')").await;
    assert!(
        found.contains("no set is called 'no such set'; the sets are ") && found.contains("RFC3986_PATH"),
        "{found}"
    );
    assert!(error("SELECT pct_decode(1)").await.contains("pct_decode takes text or bytes, not Int64"));
    assert!(error("SELECT pct_encode('a', 1)").await.contains("takes text as its second argument, not Int64"));
    assert!(error("SELECT url_param('a')").await.contains("url_param takes [2] arguments, not 1"));
}

/// A constant option is checked when the query is planned, so also if the table has no rows.
#[tokio::test]
async fn constant_options_are_checked_in_the_plan() {
    let context = context();
    hits(&context, &DataType::Utf8View);
    for (query, message) in [
        ("SELECT pct_decode(u, 'loud') FROM hits", "pct_decode: errors is \"keep\""),
        ("SELECT count(*) FROM hits WHERE pct_decode(u, 'layers=many') = ''", "layers is a number"),
        ("SELECT pct_encode(u, 'no such set') FROM hits WHERE false", "no set is called 'no such set'"),
    ] {
        let plan = context.sql(query).await.and_then(DataFrame::into_optimized_plan);
        let found = plan.map(|plan| plan.to_string()).expect_err(query).to_string();
        assert!(found.contains(message), "{query}: {found}");
    }
    // Options that differ from row to row, or are null, are known only when the query runs.
    for query in ["SELECT pct_decode(u, u) FROM hits", "SELECT pct_decode(u, NULL) FROM hits"] {
        context.sql(query).await.and_then(DataFrame::into_optimized_plan).expect(query);
    }
}

/// If two values of a dictionary become equal, the value is stored once. A row that can't be decoded becomes null.
#[tokio::test]
async fn dictionaries_have_each_value_once() {
    let context = context();
    let texts: ArrayRef = Arc::new(StringArray::from(vec![Some("%41"), Some("A"), None, Some("%FF"), Some("%zz")]));
    let column = cast(&texts, &DataType::Dictionary(Box::new(DataType::Int8), Box::new(DataType::Utf8))).unwrap();
    let batch = RecordBatch::try_from_iter_with_nullable([("u", column, true)]).unwrap();
    context.register_batch("urls", batch).unwrap();
    let batches = context.sql("SELECT pct_decode(u, 'null') d FROM urls").await.unwrap().collect().await.unwrap();
    let decoded = batches[0].column(0).as_any_dictionary();
    assert_eq!((decoded.null_count(), decoded.values().len(), decoded.values().null_count()), (3, 1, 0));
    let query = "SELECT pct_decode(u, 'null') d, count(*) FROM urls GROUP BY d ORDER BY d";
    assert_eq!(rows(&context, query).await.unwrap(), [["A", "2"], ["NULL", "3"]]);
}

/// Makes a physical plan, and lets another process run it. That process knows the functions because it registers them
/// itself. A cluster such as Ballista does the same.
#[tokio::test]
async fn a_plan_runs_in_another_process() {
    const QUERY: &str =
        "SELECT pct_decode(u) d, url_param(u, 'q') q FROM (VALUES ('/a%20b?q=1'), ('/%FF?p=2'), (NULL)) t(u)";
    if env::var_os("PLAN_FROM_STDIN").is_some() {
        let mut bytes = Vec::new();
        std::io::Read::read_to_end(&mut std::io::stdin(), &mut bytes).unwrap();
        let context = context();
        let plan = physical_plan_from_bytes(&bytes, &context.task_ctx()).unwrap();
        let batches = datafusion::physical_plan::collect(plan, context.task_ctx()).await.unwrap();
        println!("{}", pretty_format_batches(&batches).unwrap());
        return;
    }
    let plan = context().sql(QUERY).await.unwrap().create_physical_plan().await.unwrap();
    // A process that hasn't registered the functions can't read the plan.
    let bytes = physical_plan_to_bytes(plan.clone()).unwrap();
    assert!(physical_plan_from_bytes(&bytes, &SessionContext::new().task_ctx()).is_err());
    let mut other = Command::new(env::current_exe().unwrap())
        .args(["--exact", "--nocapture", "a_plan_runs_in_another_process"])
        .env("PLAN_FROM_STDIN", "1")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    other.stdin.take().unwrap().write_all(&bytes).unwrap();
    let output = other.wait_with_output().unwrap();
    let found = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{found}");
    let here = datafusion::physical_plan::collect(plan, context().task_ctx()).await.unwrap();
    let here = pretty_format_batches(&here).unwrap().to_string();
    assert!(here.contains("| /a b?q=1 | 1 |") && found.contains(here.as_str()), "{found}\n{here}");
}
