/** Shows the containers that the service serves. */
const answer = await fetch("start.json", { headers: { "X-Fanfare-Console": "1" } });
const list = document.getElementById("containers");
for (const { container, environment } of (await answer.json()).containers) {
  const [name, kind] = [document.createElement("dt"), document.createElement("dd")];
  name.textContent = container;
  kind.textContent = environment;
  list.append(name, kind);
}
