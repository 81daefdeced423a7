/// The environments of APNs that clients name when they ask for a push token.
package enum APNSEnvironment: String, CaseIterable, Sendable {
    case development
    case production
}
