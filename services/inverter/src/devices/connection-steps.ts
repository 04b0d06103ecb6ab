import type { ProbeReport } from '../link/endpoint-probe.ts'
import { recognizeService } from '../link/recognize-service.ts'
import { usualPort, type ConnectionStep } from './schema.ts'

/** Time of an answer from which on the connection counts as slow, milliseconds. */
const slowMs = 1500

/** Frames of others while the test listens from which on another client is named. */
const manyForeign = 3

type StepName = ConnectionStep['name']

const passed = (name: StepName, text: string): ConnectionStep => ({ name, state: 'ok', text, advice: null })
const warned = (name: StepName, text: string, advice: string): ConnectionStep => ({
  name,
  state: 'warning',
  text,
  advice,
})
const failed = (name: StepName, text: string, advice: string): ConnectionStep => ({
  name,
  state: 'failed',
  text,
  advice,
})

const otherClient =
  'Another program may hold the inverter: the vendor’s app, an energy manager, a home automation. Close it, or let it use the shared port of Hearth.'

/** The step of a host name that was looked up: its addresses, or why there are none. */
export function addressStep(
  host: string,
  found: { readonly address: string } | { readonly code: string },
): ConnectionStep {
  if ('code' in found)
    return failed(
      'address',
      `The name ${host} has no address (${found.code}).`,
      'Check the spelling, or enter the IP address; your router lists the devices in its network.',
    )
  return passed('address', found.address === host ? `${host} is an IP address.` : `${host} is ${found.address}.`)
}

/** Advice for each reason why there is no connection. */
const unreachable: Readonly<Record<string, readonly [text: string, advice: string]>> = {
  ECONNREFUSED: [
    'The host refuses connections to port PORT.',
    `Check the port, which is usually ${usualPort}. An inverter that is being restarted refuses connections too.`,
  ],
  ETIMEDOUT: [
    'Nothing comes back from port PORT.',
    'Check the address. Is the inverter on, and in this network? One without a battery is off at night. A firewall in between has to let the port through.',
  ],
  EHOSTUNREACH: [
    'The host cannot be reached.',
    'Check the address. Is the inverter on, and in this network? One without a battery is off at night.',
  ],
  ENETUNREACH: ['There is no route to its network.', 'Check the address and the network of this host.'],
}

/** The steps of a connection that was made for the test, from the port on. */
export function stepsOfProbe(
  report: ProbeReport,
  { port, values }: { port: number; values: number },
): ConnectionStep[] {
  if (!report.isConnected) {
    const code = report.error ?? 'unknown'
    const [text, advice] = unreachable[code] ?? [
      `There is no connection to port PORT (${code}).`,
      'Check address and port.',
    ]
    return [failed('port', text.replace('PORT', String(port)), advice)]
  }
  const steps = [passed('port', `Port ${port} is open.`), protocolStep(report, port)]
  if (report.payloads.size === 0) return steps
  return [...steps, checksumStep(report), identityStep(report, values), othersStep(report), speedStep(report)]
}

function protocolStep(report: ProbeReport, port: number): ConnectionStep {
  if (report.isInBootloader)
    return failed(
      'protocol',
      'The inverter is in maintenance: its bootloader runs.',
      'A firmware update takes some minutes. Try again afterwards; if it stays like that, restart the inverter.',
    )
  if (report.payloads.size > 0) return passed('protocol', 'It answers like an inverter.')
  if (report.foreignFrames > 0)
    return failed('protocol', 'An inverter is there, but it answers others and not this service.', otherClient)
  if (report.counters.crcErrors > 0)
    return failed(
      'protocol',
      'It answers like an inverter, but every answer is damaged.',
      `Check cable and wireless network. ${otherClient}`,
    )
  if (report.firstBytes.length > 0) {
    const what = recognizeService(report.firstBytes) ?? 'something else'
    return failed('protocol', `This is ${what}, no inverter.`, portAdvice(port))
  }
  if (report.isClosedByPeer)
    return failed('protocol', 'It accepts the connection and closes it at once.', `${otherClient} ${portAdvice(port)}`)
  return failed(
    'protocol',
    'It accepts the connection and says nothing.',
    `${otherClient} An inverter whose network module hangs does so too: switch it off and on. ${portAdvice(port)}`,
  )
}

const portAdvice = (port: number): string =>
  port === usualPort ? 'Check the address.' : `Check address and port; inverters listen at ${usualPort}.`

function checksumStep({ counters }: ProbeReport): ConnectionStep {
  const { crcErrors, framingErrors } = counters
  const damaged = crcErrors + framingErrors
  return damaged === 0
    ? passed('checksum', 'All answers are intact.')
    : warned('checksum', `${damaged} answers were damaged.`, `Check cable and wireless network. ${otherClient}`)
}

function identityStep({ payloads }: ProbeReport, values: number): ConnectionStep {
  return payloads.size >= values
    ? passed('identity', 'It gives serial number and firmware.')
    : warned(
        'identity',
        'It does not give serial number or firmware.',
        'Hearth cannot tell when the inverter is replaced or updated.',
      )
}

function othersStep({ foreignFrames }: ProbeReport): ConnectionStep {
  return foreignFrames < manyForeign
    ? passed('others', 'No other program uses it.')
    : warned('others', `It also answers another program (${foreignFrames} answers meanwhile).`, otherClient)
}

function speedStep({ answerMs }: ProbeReport): ConnectionStep {
  const slowest = Math.max(...answerMs)
  return slowest < slowMs
    ? passed('speed', `Answers take up to ${slowest} ms.`)
    : warned(
        'speed',
        `Answers take up to ${slowest} ms.`,
        'Check the wireless signal, and increase the pause between requests of the inverter.',
      )
}

/** The step of an inverter that this service is connected to already. */
export function stepOfOpenLink(failure: string | null, isInMaintenance: boolean): ConnectionStep {
  if (failure === null) return passed('protocol', 'This service is connected to it already.')
  const advice = isInMaintenance ? 'A firmware update takes some minutes. It is tried again by itself.' : otherClient
  return failed('protocol', `${failure}.`, advice)
}
