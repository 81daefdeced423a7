import JSON
import Telemetry

/// Spans as OTLP's JSON: `ExportTraceServiceRequest` (OpenTelemetry protocol 1.x).
enum OTLPSpans {
    /// The body of a request to `/v1/traces`.
    static func json(_ spans: [Span], service: String) -> JSONValue {
        let resource: JSONObject = ["attributes": .array([attribute("service.name", service)])]
        let scope: JSONObject = [
            "scope": .object(["name": "fanfare"]), "spans": .array(spans.map { .object(json($0)) }),
        ]
        let group: JSONObject = ["resource": .object(resource), "scopeSpans": .array([.object(scope)])]
        return .object(["resourceSpans": .array([.object(group)])])
    }

    /// IDs are hexadecimal here, other than in Protocol Buffers' own JSON, and 64-bit numbers are strings.
    private static func json(_ span: Span) -> JSONObject {
        var json: JSONObject = [
            "traceId": .string(span.context.traceID), "spanId": .string(TraceContext.digits(span.context.span)),
        ]
        if span.parent != 0 { json["parentSpanId"] = .string(TraceContext.digits(span.parent)) }
        json["name"] = .string(span.name)
        json["kind"] = .integer(Int64(span.kind.rawValue))
        json["startTimeUnixNano"] = .string("\(span.start)")
        json["endTimeUnixNano"] = .string("\(span.end)")
        json["attributes"] = .array(span.attributes.map { attribute($0.name.description, $0.value) })
        // OTLP's number of an error; without one, the reader of the span decides.
        if span.hasFailed { json["status"] = .object(["code": .integer(2)]) }
        return json
    }

    private static func attribute(_ name: String, _ value: String) -> JSONValue {
        .object(["key": .string(name), "value": .object(["stringValue": .string(value)])])
    }
}
