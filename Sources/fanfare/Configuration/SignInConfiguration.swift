/// The settings of users' sign-in.
struct SignInConfiguration: Sendable {
    var allowsDevelopment = false
    var oidcIssuer = ""
    var oidcAudiences: [String] = []
    var oidcClientID = ""
    var oidcClientSecret = ""
    var oidcScopes = ["openid", "profile", "email"]
    var areUsersDiscoverable = true
    var sessionDaysMax = 90
    var webAuthTokenHours = 336
}
