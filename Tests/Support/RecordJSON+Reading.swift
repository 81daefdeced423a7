package import CloudJSON
package import CloudModel
package import JSON

extension RecordJSON {
    /// The text of a record, read.
    package func json(_ record: Record) -> JSONValue {
        var writer = JSONWriter()
        write(record, to: &writer)
        // Written records are JSON: for others null fails every comparison.
        return (try? JSONValue(parsing: writer.takeBytes())) ?? .null
    }
}
