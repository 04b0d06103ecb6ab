import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { chooseServices, findServices, root, type ServiceFolder } from '../../cli/services.ts'
import { openTrialRoot, type TrialRoot } from './trial-root.ts'
import { capabilitiesOf } from './unit.ts'

const { values } = parseArgs({
  options: {
    only: { type: 'string', multiple: true },
    from: { type: 'string', default: join(root, 'release') },
  },
})

/** How a person gets into each service after an installation, and the first thing it does. */
const signIns: Readonly<Record<string, string>> = {
  vpn: `const answer = await send('/api/session', { username: 'admin', password: first('initial-admin-password') })
assert.ok(answer.ok, await answer.text())`,
  inverter: `const answer = await send('/admin/api/session', { username: 'admin', password: first('initial-admin-password') })
assert.ok(answer.ok, await answer.text())`,
  sites: `const asked = await fetch('http://127.0.0.1:8104/api/v1/csrf')
const { token } = await asked.json()
const headers = { 'content-type': 'application/json', 'x-csrf-token': token, cookie: asked.headers.getSetCookie().map((text) => text.split(';')[0]).join('; ') }
const body = JSON.stringify({ token: first('setup-token'), username: 'admin', password: 'a long enough passphrase 7' })
const answer = await fetch('http://127.0.0.1:8104/api/setup', { method: 'POST', headers, body })
assert.ok(answer.ok, await answer.text())`,
  media: `const answer = await fetch('http://127.0.0.1:8103/health')
assert.ok(answer.ok, await answer.text())`,
}

for (const service of chooseServices(findServices(), values.only ?? [])) {
  const began = performance.now()
  // A root for each: what another service's packages bring must not help this one.
  using trial = openTrialRoot(values.from)
  tryService(trial, service)
  process.stdout.write(`✔ ${service.name} (${((performance.now() - began) / 1000).toFixed(0)} s)\n`)
}

/** Installs a service, uses it as its user, removes and purges it. Throws at the first thing that is not as promised. */
function tryService(trial: TrialRoot, service: ServiceFolder): void {
  const { name } = service
  const packages = `/packages/hearth-runtime_*_$(dpkg --print-architecture).deb /packages/hearth-${name}_*_$(dpkg --print-architecture).deb`
  trial.run(`apt-get update -qq && apt-get install -y -qq --no-install-recommends ${packages}`)
  trial.runAlone(useLine(service))
  trial.run(
    `apt-get remove -y -qq hearth-${name}; test -e /var/lib/hearth/${name}/.; ! test -e /usr/lib/hearth/dist/${name}`,
  )
  trial.run(
    `dpkg --purge hearth-${name}; ! test -e /var/lib/hearth/${name}; ! test -e /etc/hearth/${name}.env; ! getent passwd hearth-${name}`,
  )
}

/** Starts the service as its unit does, waits for its page, signs in where there is a sign-in, and stops it. */
function useLine({ name, port }: ServiceFolder): string {
  const capabilities = capabilitiesOf(name)
    .map((word) => `,+${word.replace('CAP_', '').toLowerCase()}`)
    .join('')
  const drop = `setpriv --reuid hearth-${name} --regid hearth-${name} --init-groups --no-new-privs`
  const url = `http://127.0.0.1:${port}`
  return `
data=/var/lib/hearth/${name}
cd $data
DATA_DIR=$data ${drop} --inh-caps=-all${capabilities} --ambient-caps=-all${capabilities} --bounding-set=-all${capabilities} /usr/bin/hearth ${name} serve >/tmp/log 2>&1 &
service=$!
tries=0
until grep -q '^listening on ${url}$' /tmp/log; do
  tries=$((tries + 1))
  if [ $tries -gt 300 ] || ! kill -0 $service; then cat /tmp/log >&2; exit 1; fi
  sleep 0.1
done
cat >/tmp/use.mjs <<'END'
${useScript(name, url)}
END
/usr/lib/hearth/bin/node /tmp/use.mjs || { cat /tmp/log >&2; exit 1; }
hearth doctor --json >/dev/null || true
hearth ${name} backup $data/trial.backup
test -s $data/trial.backup
test "$(stat -c %U $data/trial.backup)" = hearth-${name}
kill -TERM $service
wait $service
`
}

/** A program for the Node of the package: the page answers, and whoever has the first secret gets in. */
function useScript(name: string, url: string): string {
  return `import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
const page = await fetch('${url}/', { headers: { accept: 'text/html' } })
assert.equal(page.status, 200)
assert.match(await page.text(), /<html/)
const send = (path, body) => fetch('${url}' + path, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })
const first = (file) => readFileSync('/var/lib/hearth/${name}/' + file, 'utf8').trim()
${signIns[name] ?? ''}`
}
