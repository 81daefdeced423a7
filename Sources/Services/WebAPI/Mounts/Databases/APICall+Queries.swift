import CloudJSON
import CloudModel
import HTTPServer
import JSON
import RecordService

extension APICall {
    func queryRecords() async throws -> HTTPResponse {
        let body = try body()
        let encoding = try recordEncoding(body)
        let query = try RecordQueryDecoding.query(body)
        return try await large(Limits.queryPageBytesMax) {
            let page = try await scope.records.queryRecords(
                query, in: database, markers: scope.queryMarkers, for: caller)
            var encoding = encoding
            encoding.people = try await scope.records.people(of: page.records)
            var answer: JSONObject = ["records": .array(page.records.map { encoding.record($0) })]
            if let marker = page.marker { answer["continuationMarker"] = .string(marker) }
            return JSONResponse.make(.object(answer))
        }
    }
}
