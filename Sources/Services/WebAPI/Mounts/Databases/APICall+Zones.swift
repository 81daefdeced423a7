import CloudJSON
import CloudModel
import HTTPServer
import JSON
import RecordService

extension APICall {
    func listZones() async throws -> HTTPResponse {
        _ = try bodyIfAny()
        let zones = try await scope.records.listZones(in: database, for: caller)
        return JSONResponse.make(["zones": .array(zones.map(ZoneEncoding.zone))])
    }

    func lookUpZones() async throws -> HTTPResponse {
        let zones = try ZoneDecoding.zones(try body())
        let results = try await scope.records.lookUpZones(zones, in: database, for: caller)
        return JSONResponse.make(["zones": .array(results.map(ZoneEncoding.result))])
    }

    func modifyZones() async throws -> HTTPResponse {
        let operations = try ZoneDecoding.operations(try body())
        let results = try await scope.records.modifyZones(operations, in: database, for: caller)
        return JSONResponse.make(["zones": .array(results.map(ZoneEncoding.result))])
    }
}
