import CloudModel
import HTTPServer
import JSON
import RecordService

extension APICall {
    func modifyRecords() async throws -> HTTPResponse {
        let results = try await scope.records.modifyRecords(
            try RecordDecoding.operations(try body()), in: database, for: caller)
        return JSONResponse.make(["records": .array(results.map(RecordEncoding.result))])
    }

    func lookUpRecords() async throws -> HTTPResponse {
        let results = try await scope.records.lookUpRecords(
            try RecordDecoding.names(try body()), in: database, for: caller)
        return JSONResponse.make(["records": .array(results.map(RecordEncoding.result))])
    }
}
