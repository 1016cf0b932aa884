//! Arrow's schemas of the tables.

use std::collections::HashMap;
use std::sync::Arc;

use datafusion::arrow::datatypes::{DataType, Field, Schema, SchemaRef};
pub use queryscope::internal::rows::{
    ColumnSchema, ColumnType, KnownTable, PARTITIONS, SIDE_COLUMNS, TABLES, TableSchema, VERSION, column,
    plain_name, side_column_names, side_table_name, stable_hash, table,
};
use queryscope::protocol::SideColumnType;

/// Key of a field's metadata that holds its unit.
pub const UNIT: &str = "unit";
/// Key of a field's metadata that holds the name of the side table's column as in the opened file.
pub const SOURCE_NAME: &str = "source";

/// Arrow's field, with the unit in its metadata.
pub fn field(column: &ColumnSchema) -> Field {
    let kind = match column.kind {
        ColumnType::Integer => DataType::Int64,
        ColumnType::Text => text_type(),
        ColumnType::Boolean => DataType::Boolean,
    };
    let field = Field::new(column.name, kind, true);
    match column.unit {
        "" => field,
        unit => field.with_metadata(HashMap::from([(UNIT.to_owned(), unit.to_owned())])),
    }
}

/// Arrow's type of text columns: indexes into a dictionary of texts.
pub fn text_type() -> DataType {
    DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8))
}

/// Arrow's schema of the rows in a file of a data set.
pub fn stored_schema(table: &TableSchema) -> SchemaRef {
    Arc::new(Schema::new(table.columns.iter().map(field).collect::<Vec<_>>()))
}

/// Arrow's schema of a table that every trace has.
pub fn known_schema(known: KnownTable) -> SchemaRef {
    table(known.name()).map_or_else(|| SchemaRef::new(Schema::empty()), stored_schema)
}

/// The columns whose values name the folders of a data set, such as `engine=mysql`.
pub fn partition_fields() -> Vec<Field> {
    PARTITIONS.iter().map(field).collect()
}

/// The schema `stored` followed by the columns whose values name folders.
pub fn with_partitions(stored: &Schema) -> SchemaRef {
    let fields = stored.fields().iter().cloned();
    Arc::new(Schema::new(fields.chain(partition_fields().into_iter().map(Arc::new)).collect::<Vec<_>>()))
}

/// Arrow's field of a side table's column. Its type is Arrow's `Null` if it has no values, until [`settled`] replaces it.
pub fn side_field(name: &str, source: &str, kind: SideColumnType) -> Field {
    let kind = match kind {
        SideColumnType::Empty => DataType::Null,
        SideColumnType::Integer => DataType::Int64,
        SideColumnType::Text => text_type(),
    };
    let metadata = HashMap::from([(SOURCE_NAME.to_owned(), source.to_owned())]);
    Field::new(name, kind, true).with_metadata(metadata)
}

/// Schema of a side table: trace, run and row, then the table's own columns.
pub fn side_table_schema(columns: impl IntoIterator<Item = Field>) -> SchemaRef {
    Arc::new(Schema::new(SIDE_COLUMNS.iter().map(field).chain(columns).collect::<Vec<_>>()))
}

/// The fields of both schemas. Of a field that both have, `left` gives all but the type: that is text where the types of the values differ.
pub fn merged(left: &SchemaRef, right: &SchemaRef) -> SchemaRef {
    let common = |field: &Arc<Field>| match right.field_with_name(field.name()) {
        Ok(other) if other.data_type() != field.data_type() => {
            Arc::new(field.as_ref().clone().with_data_type(common_type(field.data_type(), other.data_type())))
        }
        _ => field.clone(),
    };
    let is_new = |name: &str| left.index_of(name).is_err();
    let new = right.fields().iter().filter(|field| is_new(field.name())).cloned();
    Arc::new(Schema::new(left.fields().iter().map(common).chain(new).collect::<Vec<_>>()))
}

/// The type that the values of two different types can have.
fn common_type(left: &DataType, right: &DataType) -> DataType {
    match (left, right) {
        (DataType::Null, kind) | (kind, DataType::Null) => kind.clone(),
        _ => text_type(),
    }
}

/// The schema with text as the type of columns that have no values.
pub fn settled(schema: &Schema) -> SchemaRef {
    let field = |field: &Arc<Field>| match field.data_type() {
        DataType::Null => Arc::new(field.as_ref().clone().with_data_type(text_type())),
        _ => field.clone(),
    };
    Arc::new(Schema::new(schema.fields().iter().map(field).collect::<Vec<_>>()))
}
