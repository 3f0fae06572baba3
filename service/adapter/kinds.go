package adapter

// Kinds of integrations that a node's adapters operate.
const (
	Nginx       = "nginx"
	SecretStore = "secret_store"
)

// Promotion modes of a rotation.
const (
	PromotionManual    = "manual"
	PromotionAutomatic = "automatic_after_health"
)

// StorePolicy is the oldest policy version that lets the secret store be used.
const StorePolicy = 3
