import CloudModel
import Foundation
import Timing

extension CloudSession {
    /// The requests that may be sent again.
    enum Repetition: Sendable {
        /// After any failure that may pass: they change nothing, or change it to the same.
        case always
        /// Only where the service has certainly not done them.
        case ifNotDone
    }

    /// Sends what a function sends, again where that may help, and signs in again where the sign-in has ended.
    /// - Throws: `CKError`.
    nonisolated func call<Value: Sendable>(
        repeating repetition: Repetition = .always, _ body: @Sendable (SignedIn) async throws -> Value
    ) async throws -> Value {
        var schedule = RetrySchedule(
            attemptsMax: configuration?.attemptsMax ?? 1, pauseSecondsMax: configuration?.pauseSecondsMax ?? 0)
        var isRenewed = false
        while true {
            var token: String?
            var isSent = false
            do {
                let signedIn = try await signedIn()
                token = signedIn.service.webAuthToken
                isSent = true
                return try await body(signedIn)
            } catch {
                let error = CKError(error)
                if error.serverErrorCode == "AUTHENTICATION_FAILED", !isRenewed, await renew(refused: token) {
                    isRenewed = true
                    continue
                }
                var generator = SystemRandomNumberGenerator()
                guard error.isTransient, repetition == .always || !isSent || !error.mayHaveBeenDone,
                    let pause = schedule.pause(retryAfter: error.retryAfterSeconds, using: &generator)
                else { throw error }
                do {
                    try await Time.sleep(for: pause)
                } catch {
                    throw CKError(.operationCancelled, "the task was cancelled")
                }
            }
        }
    }
}
