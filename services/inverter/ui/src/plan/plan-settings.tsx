import { answer, changedValues, SettingsForm, type SettingsSection } from '@hearth/ui'
import { useForm } from '@mantine/form'
import { api, keys, type PlanSettingsView } from '../api.ts'
import { changeOf, type PlanValues, valuesOf } from './plan-values.ts'

const from =
  (...sources: PlanValues['price_source'][]) =>
  ({ price_source: source }: PlanValues) =>
    sources.includes(source)
const isForecast = ({ forecast_source: source }: PlanValues) => source === 'open-meteo' || source === 'forecast-solar'

const areas: Readonly<Partial<Record<PlanValues['price_source'], string>>> = {
  entsoe: 'EIC code of the bidding zone, such as 10Y1001A1001A82H for Germany and Luxembourg',
  awattar: 'de or at',
  tibber: 'ID of the home; empty for the first with a contract',
  octopus: 'Code of the tariff, such as E-1R-AGILE-24-10-01-C',
  'nord-pool': 'Delivery area, such as SE3',
}

type PlanSection = SettingsSection<PlanValues>

const sectionsFor = (view: PlanSettingsView): readonly PlanSection[] => [
  planSection(view),
  { title: 'Tariff', fields: [...sourceFields(view), ...priceFields] },
  sunSection,
  batterySection(view),
]

const planSection = ({ has_plant: hasPlant, settings }: PlanSettingsView): PlanSection => ({
  title: 'Plan',
  fields: [
    { name: 'enabled', kind: 'switch', label: 'Make plans' },
    {
      name: 'carries_out',
      kind: 'switch',
      label: 'Carry plans out',
      description: 'Without prices, forecast or an answer of the inverter it stays in its automatic mode',
      when: ({ enabled }) => enabled,
    },
    {
      name: 'whole_plant',
      kind: 'switch',
      label: 'Plan all batteries of the plant',
      description: 'One plan for all of them; it goes on without one that is away',
      when: () => hasPlant || settings.whole_plant,
    },
  ],
})

const sourceFields = ({ settings }: PlanSettingsView): PlanSection['fields'] => [
  {
    name: 'price_source',
    kind: 'select',
    label: 'Source',
    choices: {
      fixed: 'Fixed, by time of day',
      file: 'File in the data directory',
      json: 'JSON from an address',
      entsoe: 'ENTSO-E',
      awattar: 'aWATTar',
      tibber: 'Tibber',
      octopus: 'Octopus Energy',
      'nord-pool': 'Nord Pool',
    },
  },
  {
    name: 'price_area',
    kind: 'text',
    label: 'Area',
    description: ({ price_source: source }) => areas[source] ?? '',
    when: from('entsoe', 'awattar', 'tibber', 'octopus', 'nord-pool'),
  },
  { name: 'price_url', kind: 'url', label: 'Address', when: from('json') },
  {
    name: 'key',
    kind: 'secret',
    label: 'Key',
    description: settings.has_key ? 'Leave empty to keep the stored one.' : '',
    when: from('entsoe', 'tibber', 'json'),
  },
  { name: 'price_list', kind: 'text', label: 'Place of the list', placeholder: 'data.prices', when: from('json') },
  { name: 'price_start', kind: 'text', label: 'Begin in an entry', when: from('json') },
  { name: 'price_end', kind: 'text', label: 'End in an entry', description: 'Empty for none', when: from('json') },
  { name: 'price_value', kind: 'text', label: 'Price in an entry', when: from('json') },
  {
    name: 'price_unit',
    kind: 'select',
    label: 'Prices are for',
    choices: { kwh: 'a kilowatt-hour', hundredth_kwh: 'a kilowatt-hour, in cents', mwh: 'a megawatt-hour' },
    when: from('json'),
  },
  { name: 'fixed_price', kind: 'number', label: 'Price of a kilowatt-hour', when: from('fixed') },
  {
    name: 'windows',
    kind: 'lines',
    label: 'Prices by time',
    placeholder: 'weekdays 22:00-06:00 0.21',
    description: 'One per line: daily, weekdays or weekends, times, price. The first that fits counts.',
    when: from('fixed'),
  },
]

const priceFields: PlanSection['fields'] = [
  { name: 'currency', kind: 'text', label: 'Currency', placeholder: 'EUR' },
  { name: 'surcharge', kind: 'number', label: 'Surcharge for a kilowatt-hour', description: 'Before tax' },
  { name: 'tax_percent', kind: 'number', label: 'Tax', suffix: ' %' },
  {
    name: 'fees',
    kind: 'lines',
    label: 'Grid fees by time',
    placeholder: 'daily 17:00-21:00 0.12',
    description: 'One per line, with tax',
  },
  { name: 'feed_in_price', kind: 'number', label: 'Feed-in price of a kilowatt-hour' },
  { name: 'feed_in_limit_w', kind: 'number', label: 'Feed-in limit', suffix: ' W', description: 'Empty for none' },
  {
    name: 'grid_limit_w',
    kind: 'number',
    label: 'Limit of the grid connection',
    suffix: ' W',
    description: 'Empty for none',
  },
]

const sunSection: PlanSection = {
  title: 'Forecast',
  fields: [
    {
      name: 'forecast_source',
      kind: 'select',
      label: 'Forecast',
      choices: {
        none: 'As in the last days',
        'open-meteo': 'Open-Meteo',
        'forecast-solar': 'Forecast.Solar',
        file: 'File in the data directory',
      },
    },
    { name: 'latitude', kind: 'number', label: 'Latitude', when: isForecast },
    { name: 'longitude', kind: 'number', label: 'Longitude', when: isForecast },
    {
      name: 'planes',
      kind: 'lines',
      label: 'Panels',
      placeholder: '35 -10 8000',
      description: 'One per line: tilt (0 is flat), direction (0 is south, -90 east, 90 west), watts at full sun',
      when: isForecast,
    },
  ],
}

const batterySection = ({ capacity_wh, batteries }: PlanSettingsView): PlanSection => ({
  title: 'Battery limits',
  fields: [
    {
      name: 'batteries',
      kind: 'lines',
      label: 'Batteries that differ',
      placeholder: `${batteries[1]?.device_id ?? 'barn'} content=5000 reserve=15 wear=0.03`,
      description:
        'One per line: ID of the inverter, then content (Wh), reserve, full, charging and discharging (%), wear. The values below are those of all others.',
      when: ({ whole_plant: isWhole }) => isWhole,
    },
    {
      name: 'capacity_wh',
      kind: 'number',
      when: ({ whole_plant: isWhole }) => !isWhole,
      label: 'Content',
      suffix: ' Wh',
      isGrouped: true,
      description:
        capacity_wh === null
          ? 'The inverter has not said it yet'
          : `Empty for what the inverter says: ${capacity_wh} Wh`,
    },
    {
      name: 'reserve_percent',
      kind: 'number',
      label: 'Reserve',
      suffix: ' %',
      description: 'A plan keeps at least this',
    },
    { name: 'full_percent', kind: 'number', label: 'Charge from the grid up to', suffix: ' %' },
    { name: 'charge_percent', kind: 'number', label: 'Efficiency of charging', suffix: ' %' },
    { name: 'discharge_percent', kind: 'number', label: 'Efficiency of discharging', suffix: ' %' },
    {
      name: 'wear',
      kind: 'number',
      label: 'Wear',
      description: 'Cost for each kilowatt-hour discharged: price of the battery, divided by what it gives in its life',
    },
  ],
})

/** Settings of the plans. */
export function PlanSettingsForm({ view }: { view: PlanSettingsView }) {
  const initialValues = valuesOf(view)
  const form = useForm<PlanValues>({ initialValues })
  const values = form.getValues()
  const save = async () => {
    await answer(api.PUT('/admin/api/plan', { body: changeOf(values, view.settings) }))
    return { message: 'Plan settings saved' }
  }
  return (
    <SettingsForm
      form={form}
      changes={changedValues(values, initialValues)}
      save={save}
      renew={[keys.plans]}
      sections={sectionsFor(view)}
    />
  )
}
