import { createRandom } from '@hearth/testing'
import type { ServiceFolder } from '../../../cli/services.ts'
import type { TrialRoot } from './root.ts'
import { installLine, packageFiles, packagesOf, startLines, stopLines } from './scenario.ts'
import type { TrialVersions } from './versions.ts'

/** Upgrades that are killed. */
const rounds = 10

/** Settings that the older data needs, its key above all. */
const olderSettings = 'HMAC_SECRET=a-secret-of-tests-with-more-than-32-characters'

/**
 * Upgrades the inverter's service over the data of an older version, and kills apt with all it started at ten places drawn by the
 * seed. After each, what an administrator does (`dpkg --install` of the same packages) leads to the newer version with all data,
 * and `hearth-rollback` back to the older one.
 *
 * What apt started can outlive it for a moment, and the lock of a dpkg that was killed goes with its process.
 */
export async function tryKilledUpgrades(
  trial: TrialRoot,
  { service, seed }: { service: ServiceFolder; seed: number },
  versions: TrialVersions,
): Promise<void> {
  const { name } = service
  const packages = packagesOf([service])
  const [data, backups] = [`/var/lib/hearth/${name}`, `/var/lib/hearth/${name}/backups`]
  // The settings file is the administrator's by then, who keeps it.
  const newer = `${installLine(packageFiles('newer', packages))} -o Dpkg::Options::=--force-confold`
  const isVersion = (version: string) => `test "$(hearth --version)" = ${version}`
  const look = `${startLines([service])}
/usr/lib/hearth/bin/node /trial/actions/older.ts || { cat /trial/${name}.log >&2; exit 1; }
${stopLines([service])}`
  await trial.run(`${installLine(packageFiles('current', packages))}
tar -xzf /trial/older/data.tar.gz -C ${data}
chown -R hearth-${name}:hearth-${name} ${data}
echo ${olderSettings} >>/etc/hearth/${name}.env`)
  const printed = await trial.run(`began=$(date +%s%N); ${newer} >&2; echo took $(($(date +%s%N) - began))
${look}\n${isVersion(versions.newer)}
ls ${backups}/*-before-upgrade.hearth-backup\nhearth-rollback >&2`)
  let span = Number(/^took (\d+)$/m.exec(printed)?.[1]) / 1e9
  const random = createRandom(seed)
  for (let killed = 0, tries = 1; killed < rounds; tries += 1) {
    const after = random() * span
    const place = `an upgrade killed after ${after.toFixed(3)} s (try ${tries} of seed ${seed})`
    if (tries > 3 * rounds) throw new Error(`${place}: only ${killed} of ${rounds} were killed before their end`)
    try {
      const ended = await trial.run(`${isVersion(versions.current)}
setsid ${newer} -o Dpkg::Use-Pty=0 >/dev/null 2>&1 & apt=$!
sleep ${after.toFixed(3)}; until kill -s KILL -- -$apt 2>/dev/null || ! kill -s 0 $apt 2>/dev/null; do sleep 0.01; done
wait $apt && echo ended || echo killed
while kill -s 0 -- -$apt 2>/dev/null; do sleep 0.01; done
dpkg --force-confold --install ${packageFiles('newer', packages)} >&2
${isVersion(versions.newer)}\n${look}
hearth-rollback${tries % 2 === 0 ? ' --restore-data' : ''} >&2
${isVersion(versions.current)}`)
      // An upgrade that was over by then is no try, and the next ones come sooner.
      if (/^killed$/m.test(ended)) killed += 1
      else span = after
    } catch (error) {
      throw new Error(place, { cause: error })
    }
  }
}
