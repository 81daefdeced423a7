package import CloudModel
package import Testing

/// Expects a CloudKit error of a code; returns it.
@discardableResult
package func expect<Result>(
    code: CloudErrorCode, sourceLocation: SourceLocation = #_sourceLocation, _ body: () async throws -> Result
) async -> CloudError? {
    do {
        _ = try await body()
        Issue.record("no error, \(code) was expected", sourceLocation: sourceLocation)
    } catch let error as CloudError {
        #expect(error.code == code, sourceLocation: sourceLocation)
        return error
    } catch {
        Issue.record("\(error) instead of \(code)", sourceLocation: sourceLocation)
    }
    return nil
}
