import { Tabs } from '@mantine/core'
import { answer, BackupSection, NotificationsLink, PageHeader, QueryState } from '@hearth/ui'
import {
  IconCookie,
  IconDatabaseExport,
  IconDeviceMobileShare,
  IconDownload,
  IconFiles,
  IconLock,
  IconMicrophone2,
  IconTools,
} from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useSearchParams } from 'wouter'
import { api, keys, readSettings, type Settings } from '../api.ts'
import { FromAnywhere } from '../from-anywhere/from-anywhere.tsx'
import { AccessSettings } from '../settings/access-settings.tsx'
import { CookieSettings } from '../settings/cookie-settings.tsx'
import { DownloadSettings } from '../settings/download-settings.tsx'
import { StemSettings } from '../settings/stem-settings.tsx'
import { StorageSettings } from '../settings/storage-settings.tsx'
import { ToolSettings } from '../settings/tool-settings.tsx'
import '../settings/settings.css'

const tabs = [
  { value: 'downloads', label: 'Downloads', Icon: IconDownload },
  { value: 'storage', label: 'Storage', Icon: IconFiles },
  { value: 'access', label: 'Sign-in', Icon: IconLock },
  { value: 'anywhere', label: 'From anywhere', Icon: IconDeviceMobileShare },
  { value: 'cookies', label: 'Platforms', Icon: IconCookie },
  { value: 'stems', label: 'Stems', Icon: IconMicrophone2 },
  { value: 'tools', label: 'Tools', Icon: IconTools },
  { value: 'backups', label: 'Backups', Icon: IconDatabaseExport },
] as const

type Tab = (typeof tabs)[number]['value']

/** All settings of the service, on tabs that the URL names. */
export function SettingsPage() {
  const [params, setParams] = useSearchParams()
  const settings = useQuery({ queryKey: keys.settings, queryFn: readSettings })
  const tab = tabs.find(({ value }) => value === params.get('tab'))?.value ?? 'downloads'
  return (
    <>
      <PageHeader title="Settings" actions={<NotificationsLink />} />
      <Tabs
        className="settings-tabs"
        value={tab}
        keepMounted={false}
        onChange={(next) => setParams(next === 'downloads' || next === null ? {} : { tab: next }, { replace: true })}
      >
        <Tabs.List aria-label="Settings">
          {tabs.map(({ value, label, Icon }) => (
            <Tabs.Tab key={value} value={value} leftSection={<Icon size={16} stroke={1.7} aria-hidden />}>
              {label}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value={tab} className="hearth-stack">
          <QueryState query={settings} lines={8} />
          {settings.data !== undefined && (
            <Panel tab={tab} settings={settings.data} platform={params.get('platform')} />
          )}
        </Tabs.Panel>
      </Tabs>
    </>
  )
}

function Panel({ tab, settings, platform }: { tab: Tab; settings: Settings; platform: string | null }) {
  switch (tab) {
    case 'downloads':
      return <DownloadSettings settings={settings} />
    case 'storage':
      return <StorageSettings settings={settings} />
    case 'access':
      return <AccessSettings settings={settings} />
    case 'anywhere':
      return <FromAnywhere />
    case 'cookies':
      return <CookieSettings highlighted={platform} />
    case 'stems':
      return <StemSettings settings={settings} />
    case 'tools':
      return <ToolSettings />
    case 'backups':
      return <BackupSection read={() => answer(api.GET('/api/backups'))} run={() => answer(api.POST('/api/backups'))} />
  }
}
