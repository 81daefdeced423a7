import CPostgreSQL

/// A field of an error or notice, by libpq's letter.
enum Diagnostic: UInt8 {
    case severity = 0x56
    case sqlstate = 0x43
    case message = 0x4d
    case detail = 0x44
    case hint = 0x48
    case constraint = 0x6e
    case function = 0x52

    static func text(_ result: OpaquePointer, _ field: Diagnostic) -> String? {
        PQresultErrorField(result, Int32(field.rawValue)).map { String(cString: $0) }
    }
}

extension PostgreSQLError {
    /// The error of a result. One without a code was made by libpq, as the connection ended or the bytes were wrong.
    init(_ result: OpaquePointer, attempt: String) {
        let text = { Diagnostic.text(result, $0) }
        guard let sqlstate = text(.sqlstate) else {
            let words = String(cString: PQresultErrorMessage(result))
            self.init(.connectionLost, Self.oneLine(words), attempt: attempt)
            return
        }
        let severity = text(.severity)
        let endsConnection = severity == "FATAL" || severity == "PANIC"
        let kind = Self.kind(of: sqlstate, function: text(.function))
        self.init(
            endsConnection ? .connectionLost : kind, text(.message) ?? "", sqlstate: sqlstate, attempt: attempt)
        detail = text(.detail)
        hint = text(.hint)
        constraint = text(.constraint)
    }

    /// The kind of a server's code. The code of a stale plan has other meanings, so the server's function decides.
    static func kind(of sqlstate: String, function: String? = nil) -> Kind {
        switch sqlstate {
        case "40001": return .serializationFailure
        case "40P01": return .deadlock
        case "0A000": return function == "RevalidateCachedQuery" ? .stalePlan : .other
        case "55P03": return .lockTimeout
        case "57014": return .cancelled
        case "23505": return .uniqueViolation
        case "25006": return .readOnly
        case "42501": return .insufficientRights
        case "57P03": return .notAccepting
        case "57P01", "57P02", "57P05", "25P03": return .connectionLost
        default: break
        }
        switch sqlstate.prefix(2) {
        case "08": return .connectionLost
        case "23": return .constraintViolation
        case "28": return .refusedCredentials
        case "53": return .outOfResources
        default: return .other
        }
    }

    /// A text of libpq in one line, without the line that names the server's code.
    static func oneLine(_ text: String) -> String {
        text.split(whereSeparator: \.isNewline).filter { !$0.hasPrefix("LOCATION:") }
            .map { String($0.drop(while: \.isWhitespace)) }.joined(separator: "; ")
    }
}
