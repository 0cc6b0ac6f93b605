import { useSyncExternalStore } from 'react'
import { onThemeChange, readTheme, setTheme, type Theme } from './theme.ts'

export const useTheme = (): [theme: Theme, setTheme: (theme: Theme) => void] => [
  useSyncExternalStore(onThemeChange, readTheme),
  setTheme,
]
