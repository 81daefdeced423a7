import CloudModel
import HTTPServer
import JSON
import RecordService

extension APICall {
    func queryRecords() async throws -> HTTPResponse {
        let body = try body()
        let encoding = try recordEncoding(body)
        let page = try await scope.records.queryRecords(
            try RecordQueryDecoding.query(body), in: database, markers: scope.queryMarkers, for: caller)
        var answer: JSONObject = ["records": .array(page.records.map { encoding.record($0) })]
        if let marker = page.marker { answer["continuationMarker"] = .string(marker) }
        return JSONResponse.make(.object(answer))
    }
}
