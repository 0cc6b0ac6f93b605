/** Stands wherever money is shown while the service says that its chain is a test network. */
export const testNetworkWarning = 'Test network: never send real USDT'
