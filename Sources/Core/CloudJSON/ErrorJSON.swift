package import CloudModel
package import JSON

/// Errors as CloudKit's error dictionaries (docs/cloudkit.md#errors).
package enum ErrorJSON {
    /// Adds an error to what names its item.
    package static func add(_ error: CloudError, to json: inout JSONObject) {
        json["serverErrorCode"] = .string(error.code.rawValue)
        json["reason"] = .string(error.reason)
        if let seconds = error.retryAfterSeconds { json["retryAfter"] = .integer(Int64(seconds)) }
        if let address = error.redirectURL { json["redirectURL"] = .string(address) }
        if let gap = error.gap { json["gap"] = .object(self.json(gap)) }
        if let share = error.share { json["share"] = ReferenceJSON.name(share) }
        if let column = error.column { json["predicateColumn"] = .integer(Int64(column)) }
        if let limit = error.limit {
            json["limit"] = [
                "name": .string(limit.name), "value": .integer(limit.value), "of": .string(limit.subject.rawValue),
            ]
        }
    }

    /// Reads the error of an answer or an item; nil where it has none. A code of a later service is an internal error.
    package static func read(_ json: JSONValue) -> CloudError? {
        guard let name = json["serverErrorCode"]?.string else { return nil }
        let reason = json["reason"]?.string ?? ""
        let code = CloudErrorCode(rawValue: name)
        var error = CloudError(
            code ?? .internalError, code == nil ? "\(name): \(reason)" : reason,
            retryAfterSeconds: json["retryAfter"]?.integer.map(Int.init), gap: json["gap"].map(gap))
        error.redirectURL = json["redirectURL"]?.string
        // A record that is no error has a share, too.
        error.share =
            error.code == .exists ? (json["share"]?["recordName"]?.string).map(RecordName.init(trusted:)) : nil
        error.limit = json["limit"].flatMap(limit)
        error.column = json["predicateColumn"]?.integer.map { Int(clamping: $0) }
        return error
    }

    private static func limit(_ json: JSONValue) -> ExceededLimit? {
        guard let name = json["name"]?.string, let value = json["value"]?.integer else { return nil }
        let subject = json["of"]?.string.flatMap(ExceededLimit.Subject.init(rawValue:))
        return ExceededLimit(name, value, of: subject ?? .request)
    }

    /// The gap of an expired change token; unknown members are left out.
    package static func json(_ gap: TokenGap) -> JSONObject {
        var json = JSONObject()
        if let from = gap.from { json["from"] = .integer(from.milliseconds) }
        if let until = gap.until { json["until"] = .integer(until.milliseconds) }
        if let entries = gap.entries { json["entries"] = .integer(entries) }
        return json
    }

    /// Reads the gap of an expired change token.
    package static func gap(_ json: JSONValue) -> TokenGap {
        TokenGap(
            from: json["from"]?.integer.map { Timestamp(milliseconds: $0) },
            until: json["until"]?.integer.map { Timestamp(milliseconds: $0) }, entries: json["entries"]?.integer)
    }
}
