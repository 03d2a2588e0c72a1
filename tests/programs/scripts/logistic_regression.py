"""Logistic and softmax regression from scratch, with a confusion matrix and an ROC curve."""

import numpy as np

rng = np.random.default_rng(11)
centres = np.array([[0.0, 0.0], [2.5, 1.0], [0.5, 3.0]])
labels = np.repeat(np.arange(3), 40)
points = centres[labels] + rng.normal(size=(120, 2))
shuffle = rng.permutation(120)
points, labels = points[shuffle], labels[shuffle]
mean, std = points.mean(axis=0), points.std(axis=0)
features = np.hstack([np.ones((120, 1)), (points - mean) / std])


def sigmoid(z):
    return 1.0 / (1.0 + np.exp(-z))


def softmax(scores):
    scores = scores - scores.max(axis=1, keepdims=True)
    e = np.exp(scores)
    return e / e.sum(axis=1, keepdims=True)


target = (labels == 1).astype(float)
w = np.zeros(3)
for i in range(15):
    p = sigmoid(features @ w)
    H = (features * (p * (1 - p))[:, None]).T @ features + 1e-3 * np.eye(3)
    w += np.linalg.solve(H, features.T @ (target - p) - 1e-3 * w)
p = sigmoid(features @ w)
log_loss = -np.mean(target * np.log(p) + (1 - target) * np.log(1 - p))
onehot = np.eye(3)[labels]
W = np.zeros((3, 3))
for _ in range(200):
    W -= 0.5 * features.T @ (softmax(features @ W) - onehot) / len(labels)
predicted = np.argmax(features @ W, axis=1)
confusion = np.zeros((3, 3), dtype=int)
np.add.at(confusion, (labels, predicted), 1)
order = np.argsort(-p, kind="stable")
tpr = np.cumsum(target[order]) / target.sum()
fpr = np.cumsum(1 - target[order]) / (1 - target).sum()
auc = np.trapezoid(np.insert(tpr, 0, 0), np.insert(fpr, 0, 0))
print("loss %.6f, AUC %.6f, accuracy %.4f" % (log_loss, auc, (predicted == labels).mean()))
print(confusion)
