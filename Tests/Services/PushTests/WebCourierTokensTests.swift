import CloudMessages
import CloudModel
import Cryptography
import Push
import Testing

/// The tokens of web couriers' addresses.
@Suite struct WebCourierTokensTests {
    private static let keys = KeyRing.generate()
    private let tokens = WebCourierTokens(keys, scope: Pushed.layout.scope)
    private let address = CourierAddress(
        user: Pushed.user, device: DeviceID(trusted: "browser"), epoch: DeviceEpoch(3),
        expires: Timestamp(milliseconds: 77))

    @Test("a token leads to its address, in its container and environment only")
    func addresses() {
        let token = tokens.token(of: address)
        #expect(tokens.address(of: token) == address)
        #expect(tokens.address(of: token + "A") == nil && tokens.address(of: "x") == nil)
        let scope = Pushed.layout.scope
        let production = ContainerEnvironment(container: scope.container, environment: .production)
        #expect(WebCourierTokens(Self.keys, scope: production).address(of: token) == nil)
        let other = ContainerEnvironment(
            container: ContainerIdentifier(trusted: "iCloud.other"), environment: scope.environment)
        #expect(WebCourierTokens(Self.keys, scope: other).address(of: token) == nil)
        #expect(WebCourierTokens(Self.keys, scope: scope).address(of: token) == address, "another process has it")
        #expect(WebCourierTokens(KeyRing.generate(), scope: scope).address(of: token) == nil)
    }
}
