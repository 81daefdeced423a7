"""The same service as roles on a Kafka cluster: a record-service with the console, and a matcher. The broker is the one of
KAFKA_BOOTSTRAP_SERVERS; scripts/with-kafka starts one."""
import pathlib, sys

from console_world import World

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Benchmarks/Live"))
import systems


class KafkaWorld(World):
    def __init__(self, executable, arguments=()):
        self.system = systems.Kafka(executable, FANFARE_CONSOLE="public")
        self.dev = {**self.system.dev, "environment": "development"}
        self.origin, self.scope = self.dev["url"], f"{self.dev['container']}/development"
        self.hash = f"#/{self.scope}"

    def stop(self):
        self.system.end()
