import type { PlacedWidget, MinSize } from './grid-placement.ts'

/** Title, default position and minimum size of a widget. */
interface WidgetPlan {
  title: string
  slot: [x: number, y: number, w: number, h: number]
  minSize: MinSize
  /** Left out at first; can be shown in the edit mode. */
  isHidden?: boolean
}

const tile = { w: 2, h: 2 }

/** Every widget of the dashboard; the server knows the same names. */
export const widgets: Record<PlacedWidget['id'], WidgetPlan> = {
  'energy-flow': { title: 'Energy flow', slot: [0, 0, 7, 8], minSize: { w: 4, h: 7 } },
  battery: { title: 'Battery', slot: [7, 0, 5, 8], minSize: { w: 4, h: 6 } },
  'pv-power': { title: 'Solar', slot: [0, 8, 3, 2], minSize: tile },
  'house-power': { title: 'House', slot: [3, 8, 3, 2], minSize: tile },
  'grid-power': { title: 'Grid', slot: [6, 8, 3, 2], minSize: tile },
  'battery-power': { title: 'Battery power', slot: [9, 8, 3, 2], minSize: tile },
  'energy-today': { title: 'Energy today', slot: [0, 10, 4, 5], minSize: { w: 3, h: 4 } },
  health: { title: 'Health', slot: [4, 10, 4, 5], minSize: { w: 3, h: 3 } },
  dispatch: { title: 'Battery control', slot: [8, 10, 4, 5], minSize: { w: 3, h: 3 } },
  devices: { title: 'Inverters', slot: [0, 15, 12, 3], minSize: { w: 4, h: 3 } },
  'battery-soc': { title: 'State of charge', slot: [0, 18, 3, 2], minSize: tile, isHidden: true },
  'battery-temperature': { title: 'Battery temperature', slot: [3, 18, 3, 2], minSize: tile, isHidden: true },
  'days-to-calibration': { title: 'Next calibration', slot: [6, 18, 3, 2], minSize: tile, isHidden: true },
  'inverter-state': { title: 'Inverter state', slot: [9, 18, 3, 2], minSize: tile, isHidden: true },
  'device-count': { title: 'Configured inverters', slot: [0, 20, 3, 2], minSize: tile, isHidden: true },
  'connected-count': { title: 'Connected inverters', slot: [3, 20, 3, 2], minSize: tile, isHidden: true },
  'metric-count': { title: 'Metrics shown', slot: [6, 20, 3, 2], minSize: tile, isHidden: true },
}

/** Default layout of the dashboard. */
export const defaultLayout: PlacedWidget[] = (Object.keys(widgets) as PlacedWidget['id'][]).map((id) => {
  const { slot, isHidden } = widgets[id]
  const [x, y, w, h] = slot
  return { id, x, y, w, h, visible: isHidden !== true }
})
