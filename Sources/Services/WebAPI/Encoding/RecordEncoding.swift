import CloudJSON
import CloudModel
import JSON
import RecordService

/// Writes records and the results of operations on them, in the form that the request asks for.
struct RecordEncoding {
    private var json: RecordJSON
    /// Opens encrypted fields.
    private let seals: FieldSeals

    init(
        desiredKeys: Set<FieldName>? = nil, numbersAsStrings: Bool = false, seals: FieldSeals,
        assetURL: (@Sendable (Asset) -> String)? = nil
    ) {
        self.seals = seals
        json = RecordJSON(FieldJSON(numbersAsStrings: numbersAsStrings, assetURL: assetURL), desiredKeys: desiredKeys)
    }

    /// As the body of a request wants it: `desiredKeys` and `numbersAsStrings`; `APICall.recordEncoding` knows
    /// addresses of assets, too.
    init(
        _ body: JSONPath, seals: FieldSeals, assetURL: (@Sendable (Asset) -> String)? = nil
    ) throws(CloudError) {
        self.init(
            desiredKeys: try RecordDecoding.desiredKeys(body),
            numbersAsStrings: try body["numbersAsStrings"]?.bool() ?? false, seals: seals, assetURL: assetURL)
    }

    /// The user who reads.
    var viewer: UserRecordName? {
        get { json.viewer }
        set { json.viewer = newValue }
    }

    /// The names of owners and participants of shares.
    var people: [UserRecordName: UserProfile] {
        get { json.people }
        set { json.people = newValue }
    }

    /// Writes the result of an operation or a lookup; an item of a request may want other fields than the rest.
    func write(_ result: RecordResult, desiredKeys item: Set<FieldName>? = nil, to writer: inout JSONWriter) {
        switch result {
        case .record(let record): write(record, desiredKeys: item, to: &writer)
        case .deleted(let name): writer.ownValue(RecordJSON.deleted(name))
        case .failed(let name, let error): writer.ownValue(Self.failure(of: name, error))
        }
    }

    /// Writes one record; an error in its place if it cannot be opened.
    func write(_ record: Record, desiredKeys item: Set<FieldName>? = nil, to writer: inout JSONWriter) {
        do throws(CloudError) {
            let opened = try seals.opened(record, wanted: item ?? json.desiredKeys)
            json.write(opened, desiredKeys: item, to: &writer)
        } catch {
            writer.ownValue(Self.failure(of: record.name, error))
        }
    }

    private static func failure(of name: RecordName?, _ error: CloudError) -> JSONValue {
        var item: JSONObject = [:]
        if let name { item["recordName"] = .string(name.rawValue) }
        return .object(ErrorEncoding.item(error, into: item))
    }
}
