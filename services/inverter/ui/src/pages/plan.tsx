import { EmptyState, PageHeader, QueryState, Section } from '@hearth/ui'
import { IconCalendarBolt } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { keys, type PlanSettingsView, readPlan, readPlanSettings } from '../api.ts'
import { NoInverter } from '../devices/device-banners.tsx'
import { BlockList, PlanCharts, PlanDays, PlanStatusCard } from '../plan/plan-cards.tsx'
import { PlanSettingsForm } from '../plan/plan-settings.tsx'
import '../history/history.css'
import '../plan/plan.css'

/** The plan for the battery: what happens when and why, what it costs, and its settings. */
export function PlanPage() {
  const settings = useQuery({ queryKey: [...keys.plans, 'settings'], queryFn: readPlanSettings })
  const view = settings.data
  return (
    <>
      <PageHeader
        title="Plan"
        description="When the battery charges, holds and discharges so that energy costs least."
      />
      <QueryState query={settings} lines={8} />
      {view?.device_id === null && (
        <NoInverter icon={IconCalendarBolt} title="No inverter yet">
          Add an inverter first, then plan its battery here.
        </NoInverter>
      )}
      {view !== undefined && (
        <div className="hearth-stack">
          {view.device_id !== null && <PlanOf deviceId={view.device_id} view={view} />}
          <PlanSettingsForm key={JSON.stringify(view.settings)} view={view} />
        </div>
      )}
    </>
  )
}

function PlanOf({ deviceId, view }: { deviceId: string; view: PlanSettingsView }) {
  const query = useQuery({ queryKey: [...keys.plans, deviceId], queryFn: () => readPlan(deviceId) })
  const device = query.data
  if (!view.settings.enabled)
    return (
      <Section title="Now">
        <EmptyState icon={IconCalendarBolt} title="No plans are made">
          Choose where prices come from and what the sun will give, then switch plans on. A plan is only shown until you
          let it be carried out.
        </EmptyState>
      </Section>
    )
  return (
    <>
      <QueryState query={query} lines={6} />
      {device !== undefined && (
        <>
          <div className="history-columns">
            <PlanStatusCard device={device} view={view} />
            <BlockList device={device} view={view} />
          </div>
          {device.plan !== null && <PlanCharts plan={device.plan} view={view} />}
          <PlanDays days={device.days} />
        </>
      )}
    </>
  )
}
