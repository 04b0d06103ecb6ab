import { Button, NumberInput } from '@mantine/core'
import {
  applyFieldProblems,
  Fact,
  PageHeader,
  PasswordDialog,
  QueryState,
  SaveBar,
  Section,
  useSession,
} from '@hearth/ui'
import { useForm } from '@mantine/form'
import { IconPassword } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { type GatewaySettings, keys, readSettings } from '../api.ts'
import { EnvironmentTable } from '../settings/environment-table.tsx'
import { useSaveSettings } from '../settings/use-save-settings.ts'

/** Settings of the whole service. */
export function SettingsPage() {
  const settings = useQuery({ queryKey: keys.settings, queryFn: readSettings })
  return (
    <>
      <PageHeader title="Settings" />
      <QueryState query={settings} lines={8} />
      {settings.data !== undefined && (
        <div className="hearth-stack settings-form">
          <LiveForm key={settings.data.settings.live_interval_seconds} stored={settings.data.settings} />
          <Password />
          <EnvironmentTable facts={settings.data.environment} />
        </div>
      )}
    </>
  )
}

function LiveForm({ stored }: { stored: GatewaySettings }) {
  const [problem, setProblem] = useState<string>()
  const form = useForm<{ live_interval_seconds: number | string }>({
    initialValues: { live_interval_seconds: stored.live_interval_seconds },
  })
  const save = useSaveSettings((error) => setProblem(applyFieldProblems(form, error) ?? undefined))
  const submit = form.onSubmit(({ live_interval_seconds: seconds }) => {
    setProblem(undefined)
    save.mutate({ ...stored, live_interval_seconds: Number(seconds) })
  })
  return (
    <form onSubmit={submit} noValidate className="hearth-stack">
      <Section title="Live values">
        <NumberInput
          label="Update interval"
          description="2 to 60 seconds, while a page is open. A shorter interval puts more load on the inverter."
          suffix=" s"
          min={2}
          max={60}
          clampBehavior="none"
          maw={320}
          {...form.getInputProps('live_interval_seconds')}
        />
      </Section>
      {form.isDirty() && (
        <SaveBar count={1} isSaving={save.isPending} problem={problem} onDiscard={() => form.reset()} />
      )}
    </form>
  )
}

function Password() {
  const { user } = useSession()
  const [isOpen, setOpen] = useState(false)
  return (
    <Section
      title="Administrator"
      actions={
        <Button variant="default" leftSection={<IconPassword size={16} aria-hidden />} onClick={() => setOpen(true)}>
          Change password
        </Button>
      }
    >
      <dl className="hearth-facts" data-start>
        <Fact name="User name">{user.username}</Fact>
      </dl>
      {isOpen && <PasswordDialog onClose={() => setOpen(false)} />}
    </Section>
  )
}
