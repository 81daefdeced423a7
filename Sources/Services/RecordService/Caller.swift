package import CloudModel
import RecordStore

/// The user and the client that make a request.
package struct Caller: Hashable, Sendable {
    /// The signed-in user; nil with an API token alone.
    package var user: UserRecordName?
    /// The query item `clientId`: a registered device, or whatever else the client calls itself.
    package var client: DeviceID?

    package init(user: UserRecordName?, client: DeviceID? = nil) {
        self.user = user
        self.client = client
    }

    /// The part of the store that the caller's own affairs are in.
    var part: StorePart { user.map(StorePart.user) ?? .whole }

    /// The signed-in user.
    /// - Throws: `AUTHENTICATION_REQUIRED` when nobody is signed in.
    package func signedIn(to what: StaticString) throws(CloudError) -> UserRecordName {
        guard let user else {
            throw CloudError(
                .authenticationRequired,
                "\(what) needs a signed-in user: send ckWebAuthToken (POST /auth/1/…/signin gives one)")
        }
        return user
    }
}
