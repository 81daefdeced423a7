"""A desktop's notification service on a D-Bus of its own: it keeps what a browser shows, and clicks."""
import subprocess
import threading

from jeepney import DBusAddress, HeaderFields, MessageType, message_bus, new_error, new_method_return, new_signal
from jeepney.io.blocking import open_dbus_connection

INTERFACE = "org.freedesktop.Notifications"
CAPABILITIES = ["actions", "body", "body-markup", "icon-static", "persistence"]


class Desktop:
    def __init__(self):
        self.bus = subprocess.Popen(
            ["dbus-daemon", "--session", "--nofork", "--print-address"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.address = self.bus.stdout.readline().strip()
        self.connection = open_dbus_connection(self.address)
        self.connection.send_and_get_reply(message_bus.RequestName(INTERFACE))
        # Summary and text of each shown notification by the desktop's ID; and the number of all that were shown.
        self.shown = {}
        self.count = 0
        self.changed = threading.Condition()
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            try:
                message = self.connection.receive()
            except (ConnectionError, OSError):
                return
            if message.header.message_type == MessageType.method_call:
                with self.changed:
                    self.answer(message, message.header.fields[HeaderFields.member])
                    self.changed.notify_all()

    def answer(self, message, member):
        if member == "GetCapabilities":
            answer = new_method_return(message, "as", (CAPABILITIES,))
        elif member == "GetServerInformation":
            answer = new_method_return(message, "ssss", ("desktop", "fanfare", "1", "1.2"))
        elif member == "Notify":
            _, replaced, _, summary, body, *_ = message.body
            self.count += 1
            number = replaced or self.count
            self.shown[number] = (summary, body)
            answer = new_method_return(message, "u", (number,))
        elif member == "CloseNotification":
            self.shown.pop(message.body[0], None)
            self.signal("NotificationClosed", "uu", (message.body[0], 3))
            answer = new_method_return(message)
        else:
            answer = new_error(message, "org.freedesktop.DBus.Error.UnknownMethod")
        self.connection.send(answer)

    def signal(self, name, types, values):
        self.connection.send(new_signal(DBusAddress("/org/freedesktop/Notifications", interface=INTERFACE), name, types, values))

    def wait(self, condition, seconds=30):
        """Waits until the condition holds for what is shown; returns that."""
        with self.changed:
            self.changed.wait_for(lambda: condition(list(self.shown.values())), seconds)
            return list(self.shown.values())

    def click(self, summary):
        """A click on the notification with this summary."""
        with self.changed:
            number = next((number for number, (shown, _) in self.shown.items() if shown == summary), 0)
            self.signal("ActionInvoked", "us", (number, "default"))

    def end(self):
        self.bus.terminate()
        self.bus.wait()
