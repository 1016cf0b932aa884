//! The members of a record, named as they stand in it.

use super::{Cursor, Scanner, Text, Value};
use crate::import::contract::Field;

/// The members of an object, those of the object called `inner` one by one.
pub fn fields(inner: &str, text: &str) -> Vec<Field> {
    let mut fields = Vec::new();
    list_fields("", inner, text, &mut fields);
    fields
}

fn list_fields(prefix: &str, inner: &str, text: &str, fields: &mut Vec<Field>) {
    let (mut cursor, mut scanner) = (Cursor::new(text), Scanner::default());
    let decoded = |text: Text| text.decoded().map_or_else(|| text.raw().to_owned(), |text| text.into_owned());
    while let Ok((key, value)) = cursor.next(&mut scanner) {
        let name = format!("{prefix}{}", decoded(key));
        match value {
            Value::Nested(object) if prefix.is_empty() && name == inner && object.starts_with('{') => {
                list_fields(&format!("{inner}."), inner, object, fields);
            }
            Value::Text(text) => fields.push(Field { name, value: decoded(text) }),
            Value::Word(text) | Value::Nested(text) => fields.push(Field { name, value: text.to_owned() }),
        }
    }
}
