import Foundation

/// Calls completion handlers with what asynchronous functions return or throw.
enum Callback {
    /// Calls a handler of CloudKit's older form: a value, or an error.
    static func two<Value: Sendable>(
        _ handler: @escaping @Sendable (Value?, (any Error)?) -> Void,
        _ work: @escaping @Sendable () async throws -> Value
    ) {
        Task {
            do { handler(try await work(), nil) } catch { handler(nil, CKError(error)) }
        }
    }

    /// Calls a handler of a result.
    static func result<Value: Sendable>(
        _ handler: @escaping @Sendable (Result<Value, any Error>) -> Void,
        _ work: @escaping @Sendable () async throws -> Value
    ) {
        Task {
            do { handler(.success(try await work())) } catch { handler(.failure(CKError(error))) }
        }
    }
}
