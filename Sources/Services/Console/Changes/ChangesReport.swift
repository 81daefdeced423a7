package import CloudMessages
package import CloudModel
package import EventLog
package import JSON

/// Changes as operators read them, in pages or those of one record: for the routes and the commands.
package struct ChangesReport: Sendable {
    private let log: any EventLog
    private let layout: TopicLayout
    private let database: DatabaseScope
    private let writer: ChangeRowJSON
    private let hidesValues: Bool

    /// - Parameters:
    ///   - hidesValues: true leaves out all values of records.
    ///   - valueBytesMax: the bytes above which a value is cut; nil leaves fields of more than 4 KiB out.
    package init(
        _ log: any EventLog, _ layout: TopicLayout, _ database: DatabaseScope, hidesValues: Bool = false,
        valueBytesMax: Int? = nil
    ) {
        self.log = log
        self.layout = layout
        self.database = database
        self.hidesValues = hidesValues
        writer = ChangeRowJSON(hidesValues: hidesValues, valueBytesMax: valueBytesMax)
    }

    /// A page of the topic, by time.
    package func page(from start: ChangePage.Start, partition: Int32?, limit: Int) async throws -> JSONObject {
        let page = ChangePage(log, layout, database)
        let (rows, bounds, next) = try await page.read(from: start, partition: partition, limit: limit)
        let partitions = bounds.sorted { $0.key < $1.key }.map { number, held -> JSONValue in
            [
                "partition": .integer(Int64(number)), "start": .integer(held.start), "end": .integer(held.end),
                "next": .integer(next[number] ?? held.end),
            ]
        }
        return [
            "changes": .array(rows.map(writer.row)), "partitions": .array(partitions),
            "valuesLeftOut": .bool(hidesValues),
        ]
    }

    /// The kept changes of one record, the latest first.
    /// - Parameter before: the offset that they are below; nil for the latest.
    package func history(
        of record: RecordName, in zone: ZoneID, before: Int64?, limit: Int
    ) async throws -> JSONObject {
        let page = try await RecordHistory(log, layout, database, zone, record).read(before: before, limit: limit)
        var json: JSONObject = [
            "changes": .array(page.rows.map(writer.row)), "partition": .integer(Int64(page.partition)),
            "start": .integer(page.bounds.start), "end": .integer(page.bounds.end),
            "valuesLeftOut": .bool(hidesValues),
        ]
        if let next = page.next { json["next"] = .integer(next) }
        return json
    }
}
