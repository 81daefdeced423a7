public import Foundation

extension NSNotification.Name {
    /// Posted, with no object, after `signOut` and after `CKContainer.configure`: another user may be signed in, or
    /// none. Read `accountStatus` again. When a sign-in ends on the service, requests fail instead.
    public static let CKAccountChanged = NSNotification.Name("CKAccountChangedNotification")
}
