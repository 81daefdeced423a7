import CloudJSON
import CloudModel
import HTTPServer
import JSON
import RecordService

extension APICall {
    func queryRecords() async throws -> HTTPResponse {
        let body = try body()
        var encoding = try recordEncoding(body)
        let query = try RecordQueryDecoding.query(body)
        let page = try await scope.records.queryRecords(
            query, in: database, markers: scope.queryMarkers, for: caller)
        encoding.people = try await scope.records.people(of: page.records, for: caller.user)
        return JSONResponse.written { [encoding] writer in
            writer.beginObject()
            writer.array("records", page.records) { encoding.write($0, to: &$1) }
            if let marker = page.marker { writer.member("continuationMarker", marker) }
            if let token = page.syncToken { writer.member("syncToken", token) }
            writer.endObject()
        }
    }
}
