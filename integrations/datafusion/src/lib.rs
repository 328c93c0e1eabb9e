//! Percent-encoding in DataFusion: scalar functions for SQL and data frames. See README.md.
//!
//! [`register_all`] makes the functions known by name. [`functions`] returns them, for expressions and other
//! registries.
//!
//! A query fails with an error if a result is too long for the type of its column, if an option is unknown, or if
//! memory for the result can't be allocated. If memory runs out in DataFusion's own kernels, such as casts, DataFusion
//! ends the process.

#![forbid(unsafe_code)]
#![deny(missing_docs)]

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray as _, new_empty_array, new_null_array};
use arrow::compute::{cast, concat};
use arrow::datatypes::{DataType, Field, FieldRef};
use datafusion_common::{DataFusionError, Result, ScalarValue, exec_datafusion_err, exec_err, plan_err};
use datafusion_expr::registry::FunctionRegistry;
use datafusion_expr::{
    ColumnarValue, ReturnFieldArgs, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, TypeSignature, Volatility,
};
use percent_simd_arrow::sql::{self, Function};
use percent_simd_arrow::{self as columns, Errors};
use percent_standards::uri::{self, CanonicalQuery, Repairer};

/// Registers all functions. Then SQL can call them, and plans from other processes can refer to them.
///
/// # Errors
///
/// Returns an error if the registry doesn't accept functions.
///
/// # Examples
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> datafusion::error::Result<()> {
/// let mut context = datafusion::prelude::SessionContext::new();
/// percent_simd_datafusion::register_all(&mut context)?;
/// let rows = context.sql("SELECT pct_decode('caf%C3%A9 100%')").await?.collect().await?;
/// assert_eq!(rows[0].column(0).as_ref(), &datafusion::arrow::array::StringArray::from(vec!["café 100%"]));
/// # Ok(())
/// # }
/// ```
pub fn register_all(registry: &mut dyn FunctionRegistry) -> Result<()> {
    functions().into_iter().try_for_each(|function| registry.register_udf(function).map(drop))
}

/// Returns all functions.
#[must_use]
pub fn functions() -> Vec<Arc<ScalarUDF>> {
    Function::ALL.iter().map(|&function| Arc::new(ScalarUDF::new_from_impl(Udf::new(function)))).collect()
}

/// Runs a function over rows of a batch, from row `start` on. `option` is the second argument, if there is one.
fn run(function: Function, column: &ArrayRef, option: Option<&str>, start: usize) -> Result<ArrayRef> {
    const CANONICAL: CanonicalQuery<'_> = CanonicalQuery::cache_key();
    const REPAIRER: Repairer = Repairer::new();
    let wrong_option = |error: String| exec_datafusion_err!("{}: {error}", function.name());
    let failed = |error: columns::Error| exec_datafusion_err!("{}: {}", function.name(), error.after(start));
    let decode = |column: &ArrayRef, options: &str| {
        columns::decode(column, &options.parse().map_err(wrong_option)?).map_err(failed)
    };
    let result = match function {
        Function::Decode => return decode(column, option.unwrap_or_default()),
        Function::TryDecode => return decode(column, "null"),
        Function::DecodeBlob => return decode(&cast(column, &bytes_type(column.data_type()))?, ""),
        Function::Encode => {
            let encoder = sql::encoder(option.unwrap_or("rfc3986-unreserved")).map_err(wrong_option)?;
            columns::encode(column, encoder)
        }
        Function::Normalize => columns::normalize(column),
        Function::Redact => columns::map_bytes(column, Errors::Keep, |row| Ok(Some(uri::redact_bytes(row)))),
        Function::Repair => columns::map_text(column, Errors::Keep, |row| Ok(REPAIRER.repair(row).text)),
        Function::SortQuery => columns::map_text(column, Errors::Keep, |row| Ok(CANONICAL.canonicalize_uri(row))),
        Function::Domain => columns::domain(column),
        Function::Host => columns::host(column),
        Function::Param => columns::query_param(column, option.unwrap_or_default()),
        Function::Params => columns::parse_query(column),
        Function::Parse => columns::parse_url(column),
        Function::Query => columns::query_map(column),
    };
    result.map_err(failed)
}

/// Returns the type of the result for a column of this type. To find it, runs the function over a column without rows.
/// So this function fails if `option` is invalid.
fn result_type(function: Function, column: &DataType, option: Option<&str>) -> Result<DataType> {
    Ok(run(function, &new_empty_array(column), option, 0)?.data_type().clone())
}

/// For a type of text, returns the type of bytes with the same layout.
fn bytes_type(data_type: &DataType) -> DataType {
    match data_type {
        DataType::Utf8 => DataType::Binary,
        DataType::LargeUtf8 => DataType::LargeBinary,
        DataType::Utf8View => DataType::BinaryView,
        DataType::Dictionary(keys, values) => DataType::Dictionary(keys.clone(), Box::new(bytes_type(values))),
        other => other.clone(),
    }
}

/// Returns true if the functions accept columns of this type without a cast.
fn is_column(data_type: &DataType) -> bool {
    match data_type {
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => true,
        DataType::Binary | DataType::LargeBinary | DataType::BinaryView => true,
        DataType::Dictionary(_, values) => is_column(values),
        _ => false,
    }
}

/// Makes a function of this crate a function of DataFusion.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Udf {
    function: Function,
    signature: Signature,
}

impl Udf {
    fn new(function: Function) -> Udf {
        Udf { function, signature: Signature::new(TypeSignature::UserDefined, Volatility::Immutable) }
    }
}

impl ScalarUDFImpl for Udf {
    fn name(&self) -> &str {
        self.function.name()
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn coerce_types(&self, types: &[DataType]) -> Result<Vec<DataType>> {
        let name = self.name();
        let (column, option) = match types {
            _ if !self.function.arguments().contains(&types.len()) => {
                return plan_err!("{name} takes {:?} arguments, not {}", self.function.arguments(), types.len());
            }
            [column, option @ ..] => (column, option),
            [] => return plan_err!("{name} takes an argument"),
        };
        let column = match column {
            DataType::Null => DataType::Utf8,
            column if is_column(column) => column.clone(),
            other => return plan_err!("{name} takes text or bytes, not {other}"),
        };
        if let Some(other) = option.iter().find(|option| !is_column(option) && **option != DataType::Null) {
            return plan_err!("{name} takes text as its second argument, not {other}");
        }
        Ok([column].into_iter().chain(option.iter().map(|_| DataType::Utf8)).collect())
    }

    fn return_type(&self, types: &[DataType]) -> Result<DataType> {
        match types.first() {
            Some(column) => result_type(self.function, column, None),
            None => plan_err!("{} takes an argument", self.name()),
        }
    }

    /// Also checks the option if it is a constant, so that a query with an invalid option fails when it is planned.
    fn return_field_from_args(&self, args: ReturnFieldArgs) -> Result<FieldRef> {
        let Some(column) = args.arg_fields.first() else { return plan_err!("{} takes an argument", self.name()) };
        let option = args.scalar_arguments.get(1).copied().flatten().and_then(|value| value.try_as_str().flatten());
        let result = result_type(self.function, column.data_type(), option)?;
        Ok(Arc::new(Field::new(self.name(), result, true)))
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let rows = args.number_rows;
        match args.args.as_slice() {
            [column] => self.each(column, None),
            [column, ColumnarValue::Scalar(ScalarValue::Utf8(Some(option)))] => self.each(column, Some(option)),
            [column, ColumnarValue::Scalar(_)] => {
                let result = result_type(self.function, &column.data_type(), None)?;
                Ok(ColumnarValue::Scalar(ScalarValue::try_new_null(&result)?))
            }
            [column, ColumnarValue::Array(options)] => {
                let result = self.by_option(&column.to_array(rows)?, options)?;
                Ok(ColumnarValue::Array(result))
            }
            other => exec_err!("{} takes {:?} arguments, not {}", self.name(), self.function.arguments(), other.len()),
        }
    }
}

impl Udf {
    /// Runs the function over a column or a constant. For a constant the result is a constant.
    fn each(&self, column: &ColumnarValue, option: Option<&str>) -> Result<ColumnarValue> {
        Ok(match column {
            ColumnarValue::Array(array) => ColumnarValue::Array(run(self.function, array, option, 0)?),
            ColumnarValue::Scalar(value) => {
                let result = run(self.function, &value.to_array()?, option, 0)?;
                ColumnarValue::Scalar(ScalarValue::try_from_array(&result, 0)?)
            }
        })
    }

    /// Runs the function over a column whose rows have different options. Neighbouring rows with equal options are run
    /// together.
    fn by_option(&self, column: &ArrayRef, options: &ArrayRef) -> Result<ArrayRef> {
        let options = options
            .as_string_opt::<i32>()
            .ok_or_else(|| DataFusionError::Internal(format!("{}: options are not text", self.name())))?;
        let option = |row: usize| options.is_valid(row).then(|| options.value(row));
        let mut parts = Vec::new();
        let mut start = 0;
        while start < column.len() {
            let other = (start + 1..column.len()).find(|&row| option(row) != option(start));
            let end = other.unwrap_or(column.len());
            let part = column.slice(start, end - start);
            parts.push(match option(start) {
                Some(option) => run(self.function, &part, Some(option), start)?,
                None => new_null_array(&result_type(self.function, column.data_type(), None)?, end - start),
            });
            start = end;
        }
        let parts: Vec<&dyn Array> = parts.iter().map(AsRef::as_ref).collect();
        if parts.is_empty() {
            return Ok(new_empty_array(&result_type(self.function, column.data_type(), None)?));
        }
        Ok(concat(&parts)?)
    }
}
