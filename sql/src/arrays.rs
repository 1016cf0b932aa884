//! Converts columns of the engine to Arrow arrays.

use std::sync::Arc;

use datafusion::arrow::array::{
    ArrayRef, BooleanArray, DictionaryArray, Int32Array, Int64Array, StringArray,
};
use datafusion::arrow::buffer::NullBuffer;
use datafusion::arrow::datatypes::Int32Type;
use datafusion::arrow::error::ArrowError;
use queryscope::protocol::ColumnValues;

/// Converts the values of a column to an Arrow array.
///
/// # Errors
/// If a row refers to a text that does not exist, which happens only if the values were damaged in transit.
pub fn array(values: ColumnValues) -> Result<ArrayRef, ArrowError> {
    Ok(match values {
        ColumnValues::Numbers { values, present } => {
            let nulls = present.iter().map(|&known| known == 1).collect::<Vec<bool>>();
            let nulls = (!nulls.is_empty()).then(|| NullBuffer::from(nulls));
            Arc::new(Int64Array::try_new(values.into(), nulls)?)
        }
        ColumnValues::Flags(flags) => {
            Arc::new(flags.iter().map(|&flag| (flag < 2).then_some(flag == 1)).collect::<BooleanArray>())
        }
        ColumnValues::Texts { indices, texts } => {
            let keys: Int32Array = indices.into_iter().map(|index| (index >= 0).then_some(index)).collect();
            let texts: ArrayRef = Arc::new(StringArray::from(texts));
            Arc::new(DictionaryArray::<Int32Type>::try_new(keys, texts)?)
        }
    })
}

/// An Arrow array of `rows` rows with the same value.
pub fn constant(value: ConstantValue<'_>, rows: usize) -> ArrayRef {
    match value {
        ConstantValue::Number(number) => Arc::new(Int64Array::from_value(number, rows)),
        ConstantValue::Text(text) => {
            let keys = Int32Array::from(vec![text.map(|_| 0); rows]);
            let texts: ArrayRef = Arc::new(StringArray::from_iter_values(text));
            // All keys are 0: the dictionary has only one text.
            Arc::new(DictionaryArray::<Int32Type>::new(keys, texts))
        }
    }
}

/// The value of a column that has the same value in all rows.
#[derive(Clone, Copy, Debug)]
pub enum ConstantValue<'a> {
    Number(i64),
    Text(Option<&'a str>),
}
