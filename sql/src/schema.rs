//! Arrow's schemas of the tables.

use std::collections::HashMap;
use std::sync::Arc;

use datafusion::arrow::datatypes::{DataType, Field, Schema, SchemaRef};
pub use queryscope::internal::rows::{
    ColumnSchema, ColumnType, KnownTable, PARTITIONS, SIDE_COLUMNS, TABLES, TableSchema, VERSION, column,
    plain_name, side_column_names, side_table_name, stable_hash, table,
};

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

/// Schema of a stored side table: trace, run and row, then the table's own columns. `columns` gives the name of each own column in SQL
/// and its name in the opened file.
pub fn side_table_schema<'n>(columns: impl IntoIterator<Item = (&'n str, &'n str)>) -> SchemaRef {
    let own = |(name, source): (&str, &str)| {
        let metadata = HashMap::from([(SOURCE_NAME.to_owned(), source.to_owned())]);
        Field::new(name, text_type(), true).with_metadata(metadata)
    };
    Arc::new(Schema::new(
        SIDE_COLUMNS.iter().map(field).chain(columns.into_iter().map(own)).collect::<Vec<_>>(),
    ))
}

/// The fields of both schemas. If both have a field of the same name, that of `left` is taken.
pub fn merged(left: &SchemaRef, right: &SchemaRef) -> SchemaRef {
    let is_new = |name: &str| left.index_of(name).is_err();
    let new = right.fields().iter().filter(|field| is_new(field.name())).cloned();
    Arc::new(Schema::new(left.fields().iter().cloned().chain(new).collect::<Vec<_>>()))
}
