import { bringDevice, inspectDevice } from './bring.ts'
import { isClean, type DesiredDevice, type Drift } from './drift.ts'
import { deviceErrorOf } from './peer-batch.ts'
import { followed, runInTurn, type TunnelContext } from './tunnel-context.ts'

/** Brings or takes one interface and notes how it stands; returns what was wrong. */
export async function settle(context: TunnelContext, desired: DesiredDevice): Promise<Drift> {
  const { name } = desired.config
  try {
    const drift = await bringDevice(context, followed(context, name), desired)
    context.states.set(name, { status: desired.running ? 'up' : 'down', reason: null })
    return drift
  } catch (error) {
    const failure = deviceErrorOf(name, error)
    context.states.set(name, { status: 'error', reason: failure.message })
    throw failure
  }
}

/** Brings one interface to what the database wants; undefined when it does not know it. To be called in the interface's turn. */
export async function reconcileNow(context: TunnelContext, name: string): Promise<Drift | undefined> {
  const desired = (await context.options.desired(name)).find(({ config }) => config.name === name)
  return desired === undefined ? undefined : settle(context, desired)
}

/** Brings all interfaces to what the database wants, one after the other; a failure of one is logged and stays its own. */
export async function reconcileAll(context: TunnelContext): Promise<void> {
  const { log, rules, options } = context
  const all = await options.desired()
  const tellFailure = (name: string) => (error: unknown) => {
    log.error({ interface: name, reason: deviceErrorOf(name, error).message }, 'interface failed')
  }
  const running = all.filter((device) => device.running)
  await rules.startWith(running.map((device) => device.rules)).catch(tellFailure('firewall'))
  for (const { config } of all) {
    await runInTurn(context, config.name, () => reconcileNow(context, config.name)).catch(tellFailure(config.name))
  }
}

/** Looks first without holding anything up; only what looks wrong is looked at again, and repaired, in its turn. */
export async function checkAll(context: TunnelContext): Promise<void> {
  for (const desired of await context.options.desired()) {
    const { name } = desired.config
    const looked = await inspectDevice(context, followed(context, name), desired).catch(() => undefined)
    const standing = context.states.get(name)?.status
    if (looked !== undefined && isClean(looked.drift) && standing !== 'error') continue
    await runInTurn(context, name, () => repairNow(context, name))
  }
  await checkFirewall(context)
}

/** Repairs one interface and reports what was wrong. To be called in the interface's turn. */
export async function repairNow(context: TunnelContext, name: string): Promise<void> {
  try {
    const drift = await reconcileNow(context, name)
    if (drift !== undefined && !isClean(drift)) context.report(drift)
  } catch (error) {
    const failure = deviceErrorOf(name, error).message
    context.report({ interface: name, device: ['not as wanted'], missing: [], changed: [], extra: [], failure })
  }
}

async function checkFirewall({ options: { firewall }, report }: TunnelContext): Promise<void> {
  const drift = { interface: null, device: ['firewall changed'], missing: [], changed: [], extra: [] }
  try {
    if (!(await firewall.hasDrifted())) return
    await firewall.repair()
    report({ ...drift, failure: null })
  } catch (error) {
    report({ ...drift, failure: deviceErrorOf('firewall', error).message })
  }
}
