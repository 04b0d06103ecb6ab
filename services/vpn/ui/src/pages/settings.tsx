import { answer, applyFieldProblems, PageHeader, QueryState, useAction, SaveBar } from '@hearth/ui'
import { useForm } from '@mantine/form'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, keys, type Settings } from '../api.ts'
import { AccessFields, DeviceFields, MetricsFields, NewPeerFields } from '../settings/settings-fields.tsx'
import { changedSettings, type SettingsValues } from '../settings/settings-values.ts'

/** What holds for the whole service; administrators only. */
export function SettingsPage() {
  const settings = useQuery({
    queryKey: keys.settings,
    queryFn: async () => (await answer(api.GET('/api/settings'))).data,
  })
  return (
    <>
      <PageHeader
        title="Settings"
        description="They apply to the whole service; existing peers keep their own values."
      />
      <QueryState query={settings} lines={8} />
      {settings.data !== undefined && <SettingsForm key={JSON.stringify(settings.data)} settings={settings.data} />}
    </>
  )
}

function SettingsForm({ settings }: { settings: Settings }) {
  const [problem, setProblem] = useState<string>()
  const form = useForm<SettingsValues>({ initialValues: { ...settings } })
  const changes = changedSettings(form.getValues(), settings)
  const count = Object.keys(changes).length
  const save = useAction<void, { message: string }>({
    run: () => answer(api.PUT('/api/settings', { body: changes })),
    renew: [keys.settings],
    onProblem: (error) => setProblem(applyFieldProblems(form, error) ?? undefined),
  })
  const submit = form.onSubmit(() => {
    setProblem(undefined)
    if (count > 0) save.mutate()
  })
  return (
    <form onSubmit={submit} noValidate className="hearth-stack settings-form">
      <DeviceFields form={form} />
      <NewPeerFields form={form} />
      <AccessFields form={form} />
      <MetricsFields form={form} />
      <SaveBar count={count} problem={problem} isSaving={save.isPending} onDiscard={() => form.reset()} />
    </form>
  )
}
