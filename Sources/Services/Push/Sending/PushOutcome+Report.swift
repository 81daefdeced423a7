import CloudModel
package import JSON

extension PushOutcome {
    /// One word of a closed set for the outcome.
    var word: String {
        switch self {
        case .accepted: "accepted"
        case .dropped: "dropped"
        case .gone: "gone"
        case .doubtful: "doubtful"
        case .misconfigured: "misconfigured"
        case .tooLarge: "tooLarge"
        case .failed: "failed"
        }
    }

    /// The outcome and what a sender would do, for people.
    var sentence: String {
        switch self {
        case .accepted(let status): "accepted: \(status)"
        case .dropped(let failure): "refused: \(failure.words); a sender would drop the push"
        case .gone(let failure, _): "the address is dead: \(failure.words); a sender would remove it"
        case .doubtful(let failure): "the address is refused: \(failure.words); a sender would doubt it"
        case .misconfigured(let failure): "the settings are wrong: \(failure.words); a sender would stop"
        case .tooLarge(let failure): "too large: \(failure.words)"
        case .failed(let failure, _): "failed: \(failure.words); a sender would try again"
        }
    }
}

extension PushTrial.Result {
    /// The result for programs.
    package var json: JSONObject {
        var json: JSONObject = [
            "kind": .string(kind.rawValue), "userRecordName": .string(user.rawValue),
            "registered": .integer(registered.milliseconds), "outcome": .string(word),
        ]
        guard let line, let id, let outcome else { return json }
        (json["host"], json["pushID"]) = (.string(line), .string(id.description))
        json["accepted"] = .bool(outcome.isAccepted)
        json["answer"] = .string(sentence)
        if let status = outcome.status { json["status"] = .integer(Int64(status)) }
        if let failure = outcome.failure { json["reason"] = .string(failure.reason) }
        return json
    }

    /// One word of a closed set for the outcome.
    package var word: String { outcome?.word ?? "notSetUp" }

    /// The outcome and what a sender would do, for people.
    package var sentence: String { outcome?.sentence ?? "not sent: no provider of this kind is set up here" }
}

extension PushFailure {
    fileprivate var words: String { status.map { "\($0) \(reason)" } ?? reason }
}
