import { answer, EmptyState, RelativeTime, Section, StatusBadge, TimeChart, useAction } from '@hearth/ui'
import { Button, Group } from '@mantine/core'
import { IconCalendarBolt, IconPlayerPause, IconPlayerPlay, IconRefresh } from '@tabler/icons-react'
import { Link } from 'wouter'
import { api, type DevicePlan, keys, type PlanSettingsView } from '../api.ts'
import { Facts, IconButton, Notice } from '../page-elements.tsx'
import { energy, power, spell } from '../values/quantity.ts'
import { chartsOf } from './plan-charts.ts'
import { actions, batteryName, type Block, deciders, leftOutText, money, savingText } from './plan-texts.ts'

type Plan = NonNullable<DevicePlan['plan']>

const timeFormat = { hour: '2-digit', minute: '2-digit' } as const

const clock = (time: string, timeZone: string) =>
  new Date(time).toLocaleTimeString(undefined, { weekday: 'short', ...timeFormat, timeZone })

/** A stretch of time, whose end has no day when it is that of the begin. */
function stretch(start: string, end: string, timeZone: string): string {
  const dayOf = (time: string) => new Date(time).toLocaleDateString(undefined, { timeZone })
  const isOneDay = dayOf(start) === dayOf(end)
  const last = isOneDay
    ? new Date(end).toLocaleTimeString(undefined, { ...timeFormat, timeZone })
    : clock(end, timeZone)
  return `${clock(start, timeZone)} – ${last}`
}

/** State of the plan: what it costs, who decides, and buttons to change that. */
export function PlanStatusCard({ device, view }: { device: DevicePlan; view: PlanSettingsView }) {
  const { plan, status, device_id } = device
  const timeZone = view.time_zone
  const leftOut = leftOutText(status)
  const params = { path: { device_id } }
  const renew = useAction<void, { message: string }>({
    run: async () => {
      await answer(api.POST('/admin/api/plan/devices/{device_id}/renew', { params }))
      return { message: 'The plan is new' }
    },
    renew: [keys.plans],
  })
  const isPaused = status.paused_until !== null
  const pause = useAction<void, { message: string }>({
    run: async () => {
      const until = isPaused ? null : new Date(Date.now() + 86_400_000).toISOString()
      await answer(api.PUT('/admin/api/plan/devices/{device_id}/pause', { params, body: { until } }))
      return { message: isPaused ? 'The plan goes on' : 'The plan pauses for a day' }
    },
    renew: [keys.plans],
  })
  return (
    <Section
      title="Now"
      actions={
        <Group gap={8}>
          <IconButton icon={IconRefresh} loading={renew.isPending} onClick={() => renew.mutate()}>
            New plan
          </IconButton>
          {status.carrying !== 'off' && (
            <IconButton
              icon={isPaused ? IconPlayerPlay : IconPlayerPause}
              loading={pause.isPending}
              onClick={() => pause.mutate()}
            >
              {isPaused ? 'Go on' : 'Pause for a day'}
            </IconButton>
          )}
        </Group>
      }
    >
      {status.missing.length > 0 && <Notice mb={12}>{status.missing.join(' ')}</Notice>}
      {status.missing.length === 0 && status.price_error !== null && (
        <Notice mb={12}>{`Prices could not be loaded: ${status.price_error}.`}</Notice>
      )}
      {status.missing.length === 0 && status.forecast_error !== null && (
        <Notice mb={12}>{`The forecast could not be loaded: ${status.forecast_error}.`}</Notice>
      )}
      {leftOut !== undefined && <Notice mb={12}>{leftOut}</Notice>}
      {status.carrying === 'failed' && <Notice mb={12}>{status.carrying_detail}</Notice>}
      <Facts
        facts={[
          ...decidersOf(device, view),
          ['Expected cost', plan === null ? '–' : money(plan.expected_cost, plan.currency)],
          ['Without a plan', plan === null ? '–' : money(plan.expected_cost_without, plan.currency)],
          view.settings.price_source === 'fixed'
            ? ['Prices', 'Fixed by time of day']
            : ['Prices until', status.prices_until === null ? '–' : clock(status.prices_until, timeZone)],
          ['Made', plan === null ? '–' : <RelativeTime key="made" value={plan.made_at} />],
        ]}
      />
      {plan !== null && <p className="hearth-dimmed">{savingText(plan)}</p>}
    </Section>
  )
}

/** Who decides now, on each battery where there are several. */
function decidersOf({ status }: DevicePlan, view: PlanSettingsView): [string, string][] {
  if (status.batteries.length < 2) return [['Decides', deciders[status.carrying]]]
  return status.batteries.map(({ device_id, carrying }) => [batteryName(device_id, view), deciders[carrying]])
}

/** Parts of the plan: when, what, how much, and why. */
export function BlockList({ device, view }: { device: DevicePlan; view: PlanSettingsView }) {
  const { plan } = device
  if (plan === null) return null
  return (
    <Section title="What happens">
      {plan.blocks.length === 0 ? (
        <EmptyState icon={IconCalendarBolt} title="Nothing to do">
          With these prices nothing is better than the inverter’s automatic mode.
        </EmptyState>
      ) : (
        <ol className="plain-list plan-blocks">
          {plan.blocks.map((block) => (
            <BlockRow key={`${block.start} ${block.device_id}`} {...{ block, plan, device, view }} />
          ))}
        </ol>
      )}
    </Section>
  )
}

function BlockRow(props: { block: Block; plan: Plan; device: DevicePlan; view: PlanSettingsView }) {
  const { block, plan, device, view } = props
  const { start, end, device_id, is_by_hand: isByHand } = block
  const timeZone = view.time_zone
  const isOneOfSeveral = view.batteries.length > 1
  const choose = useAction<void, { message: string }>({
    run: async () => {
      const others = device.choices.filter(
        (choice) => choice.device_id !== device_id || choice.end <= start || choice.start >= end,
      )
      const choices = isByHand ? others : [...others, { device_id, start, end, action: 'automatic' as const }]
      const params = { path: { device_id: device.device_id } }
      await answer(api.PUT('/admin/api/plan/devices/{device_id}/choices', { params, body: { choices } }))
      return { message: isByHand ? 'Planned again' : 'Taken out of the plan' }
    },
    renew: [keys.plans],
  })
  const amounts = [
    block.energy_wh > 0 && spell(energy(block.energy_wh)),
    block.power_w !== null && `up to ${spell(power(block.power_w))}`,
    block.action === 'charge' && block.target_soc_percent !== null && `to ${Math.round(block.target_soc_percent)} %`,
    block.saving > 0 && `saves ${money(block.saving, plan.currency)}`,
  ].filter((text) => text !== false)
  return (
    <li>
      <div className="plan-block-head">
        <b>{stretch(start, end, timeZone)}</b>
        {isOneOfSeveral && <span>{batteryName(device_id, view)}</span>}
        <StatusBadge tone={block.action === 'charge' ? 'good' : 'accent'}>{actions[block.action]}</StatusBadge>
      </div>
      <span>{block.reason}</span>
      <span className="hearth-dimmed">{amounts.join(', ')}</span>
      <Button variant="default" size="compact-sm" mt={4} loading={choose.isPending} onClick={() => choose.mutate()}>
        {isByHand ? 'Plan again' : 'Take out'}
      </Button>
    </li>
  )
}

/** Curves of price and battery, and what is expected. */
export function PlanCharts({ plan, view }: { plan: Plan; view: PlanSettingsView }) {
  const timeZone = view.time_zone
  return (
    <div className="history-columns energy-charts plan-charts">
      {chartsOf(plan, view).map((chart) => (
        <Section key={chart.title} title={chart.title}>
          <TimeChart height={220} shape="lines" formatTime={(time) => clock(time, timeZone)} {...chart} />
        </Section>
      ))}
    </div>
  )
}

/** What the last days cost with the plan and without. */
export function PlanDays({ days }: Pick<DevicePlan, 'days'>) {
  if (days.length === 0) return null
  return (
    <Section
      title="Last days"
      actions={
        <Link href="/plan/days" className="hearth-link">
          All days
        </Link>
      }
    >
      <ul className="plain-list plan-days">
        {days.slice(0, 7).map(({ date, cost, cost_without, currency }) => (
          <li key={date}>
            <b>{date}</b>
            <span>{money(cost, currency)}</span>
            <span className="hearth-dimmed">{`${money(cost_without, currency)} without a plan`}</span>
          </li>
        ))}
      </ul>
    </Section>
  )
}
