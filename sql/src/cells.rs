//! The values of a result as texts, for all output formats.

use std::io;

use datafusion::arrow::array::{Array, ArrayRef, AsArray};
use datafusion::arrow::datatypes::{DataType, Int64Type, UInt64Type};
use datafusion::arrow::util::display::{ArrayFormatter, FormatOptions};

use crate::statement::ResultRows;

/// A value of a result.
pub enum Cell {
    Null,
    /// A number as text: digits, possibly with a sign, a decimal point and an exponent.
    Number(String),
    Boolean(bool),
    Text(String),
}

impl Cell {
    /// The value as text; `None` for null.
    pub fn into_text(self) -> Option<String> {
        match self {
            Self::Null => None,
            Self::Number(text) | Self::Text(text) => Some(text),
            Self::Boolean(value) => Some(value.to_string()),
        }
    }
}

/// Whether the values of a type are numbers.
pub fn is_number(kind: &DataType) -> bool {
    kind.is_numeric() || matches!(kind, DataType::Dictionary(_, value) if value.is_numeric())
}

/// The rows of a result in order; an error in place of a row with a value that cannot be written as text.
pub fn rows(result: &ResultRows) -> impl Iterator<Item = io::Result<Vec<Cell>>> {
    result.batches.iter().flat_map(|batch| {
        (0..batch.num_rows()).map(|row| batch.columns().iter().map(|column| cell(column, row)).collect())
    })
}

fn cell(column: &ArrayRef, row: usize) -> io::Result<Cell> {
    if column.is_null(row) {
        return Ok(Cell::Null);
    }
    Ok(match column.data_type() {
        DataType::Null => Cell::Null,
        DataType::Int64 => Cell::Number(column.as_primitive::<Int64Type>().value(row).to_string()),
        DataType::UInt64 => Cell::Number(column.as_primitive::<UInt64Type>().value(row).to_string()),
        DataType::Boolean => Cell::Boolean(column.as_boolean().value(row)),
        kind => {
            let options = FormatOptions::default();
            let formatter = ArrayFormatter::try_new(column, &options).map_err(io::Error::other)?;
            let value = formatter.value(row).try_to_string().map_err(io::Error::other)?;
            match is_number(kind) {
                true => Cell::Number(value),
                // A dictionary may hold null, too.
                false => Cell::Text(value),
            }
        }
    })
}
