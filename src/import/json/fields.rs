//! Lists the members of a record under their keys.

use super::{Cursor, Scanner, Value};
use crate::import::contract::Field;

/// Returns the members of an object. The member `inner`, if it is an object, is replaced by its own members, which are
/// named `inner.key`.
pub fn fields(inner: &str, text: &str) -> Vec<Field> {
    let mut fields = Vec::new();
    list_fields("", inner, text, &mut fields);
    fields
}

fn list_fields(prefix: &str, inner: &str, text: &str, fields: &mut Vec<Field>) {
    let (mut cursor, mut scanner) = (Cursor::new(text), Scanner::default());
    while let Ok((key, value)) = cursor.next(&mut scanner) {
        let name = format!("{prefix}{}", key.content());
        match value {
            Value::Nested(object) if prefix.is_empty() && name == inner && object.starts_with('{') => {
                list_fields(&format!("{inner}."), inner, object, fields);
            }
            value => fields.push(Field { name, value: value.content().into_owned() }),
        }
    }
}
