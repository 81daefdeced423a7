import EventLog
import SQLite

extension SQLiteConnection {
    /// Reads the next entries of a key, as many as make a batch (`KeyedBatch`).
    /// - Parameters:
    ///   - sql: a query of row, time, headers, value and time of the append, in the order of rows; its parameters are
    ///     the key, the first row, the row behind the last one, and how many.
    ///   - end: the offset of the next batch where this one is the last.
    ///   - offset: the offset of a row.
    func keyedBatch(
        _ sql: String, of key: [UInt8], in rows: Range<Int64>, to end: Int64, offset: (Int64) -> Int64
    ) throws -> LogBatch {
        var entries: [LogEntry] = []
        var bytes = 0
        try visit(
            sql,
            [
                .blob(key), .integer(rows.lowerBound), .integer(rows.upperBound),
                .integer(Int64(KeyedBatch.entriesMax)),
            ]
        ) { row in
            let value = row.blob(3)
            bytes += value.count
            entries.append(
                LogEntry(
                    offset: offset(row.integer(0)), timestamp: LogTimestamp(milliseconds: row.integer(1)),
                    appended: row.optionalInteger(4).map { LogTimestamp(milliseconds: $0) }, key: key, value: value,
                    headers: try HeadersMessage.headers(decoding: row.blob(2))))
            return bytes < KeyedBatch.bytesMax
        }
        let isAtEnd = entries.count < KeyedBatch.entriesMax && bytes < KeyedBatch.bytesMax
        return LogBatch(
            entries: entries, nextOffset: isAtEnd ? end : entries[entries.count - 1].offset + 1, isAtEnd: isAtEnd)
    }
}
