import CloudModel
import Testing

/// Expects a CloudKit error of a code.
func expect<Result>(
    code: CloudErrorCode, _ comment: Comment? = nil, sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () async throws -> Result
) async {
    do {
        _ = try await body()
        Issue.record(comment ?? "no error, \(code) was expected", sourceLocation: sourceLocation)
    } catch let error as CloudError {
        #expect(error.code == code, comment, sourceLocation: sourceLocation)
    } catch {
        Issue.record("\(error) instead of \(code)", sourceLocation: sourceLocation)
    }
}
