public import Foundation

extension NSNotification.Name {
    /// The notification that another user may be signed in, or nobody: ask for `accountStatus` again. It is posted, by no
    /// object, after `signOut` and after `CKContainer.configure`; of a sign-in that ends on the service, requests tell.
    public static let CKAccountChanged = NSNotification.Name("CKAccountChangedNotification")
}
